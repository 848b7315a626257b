import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerDeliverable, PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, get, log, make, taskIn, free } = server;
const UNKNOWN = "0197a000-0000-7000-8000-000000000001";

const FIELDS =
  `id, org_id, project_id, deliverable_id, title, description, kind, status, row_version, priority, required_trade,
  available_at, depends_on, holds, assigned_to, assigned_by, assigned_at, started_at, submitted_at, reviewed_by, reviewed_at, self_checked,
  contributors, needs_attention, fix_of_task_id, parent_task_id, due_at, estimate_minutes, created_by, created_at,
  updated_at`.split(/,\s*/);

test("a task has exactly the documented fields", async () => {
  const first = await make();
  const task = await make({
    title: "  Paint ",
    description: "both sides",
    priority: 4,
    required_trade: "painter",
    depends_on: [first.id],
  });
  expect(Object.keys(task).sort()).toEqual([...FIELDS].sort());
  expect(task).toMatchObject({
    org_id: "main",
    project_id: "main",
    title: "Paint",
    kind: "work",
    status: "blocked",
    row_version: 1,
    depends_on: [first.id],
    created_by: "lea",
    needs_attention: false,
    self_checked: false,
  });
  const reply = await send("vic", `GET /tasks/${task.id}`);
  expect(reply.body).toEqual(task);
  expect(reply.headers.get("etag")).toBe('"1"');
});

test.each([
  [{ title: undefined }, "title"],
  [{ title: " " }, "title"],
  [{ title: "x".repeat(201) }, "title"],
  [{ priority: 1.5 }, "priority"],
  [{ depends_on: [UNKNOWN] }, "depends_on"],
  [{ depends_on: ["nonsense"] }, "depends_on"],
  [{ parent_task_id: UNKNOWN }, "parent_task_id"],
  [{ deliverable_id: "nonsense" }, "deliverable_id"],
  [{ title: "a\u0000b" }, "title"],
])("a task with %j is refused with the path of the mistake", async (wrong, path) => {
  const reply = await send("lea", "POST /tasks", { title: "Weld", ...wrong });
  expect(reply).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR", errors: [{ path }] } });
});

test("lists are filtered and paged", async () => {
  const deliverable = bodyOf<PlannerDeliverable>(
    201,
    await send("lea", "POST /deliverables", { type: "list", serial: "1" }),
  );
  const parent = await make({ title: "Whole" });
  const parts = [];
  for (const title of ["Part one", "Part two", "Part three"])
    parts.push(
      await make({
        title,
        parent_task_id: parent.id,
        deliverable_id: deliverable.id,
        required_trade: "welder",
      }),
    );
  await free("bob");
  await act("bob", parts[1]!.id, "self_assign");
  const ids = async (query: string) =>
    bodyOf<{ tasks: PlannerTask[] }>(200, await send("vic", `GET /tasks?${query}`)).tasks.map(({ id }) => id);
  const all = parts.map(({ id }) => id);
  expect(await ids(`parent_task_id=${parent.id}`)).toEqual(all);
  expect(await ids(`deliverable_id=${deliverable.id}`)).toEqual(all);
  expect(await ids(`parent_task_id=${parent.id}&status=assigned`)).toEqual([all[1]]);
  expect(await ids(`parent_task_id=${parent.id}&q=THREE&required_trade=welder&kind=work`)).toEqual([all[2]]);
  expect(await ids(`parent_task_id=${parent.id}&kind=fix`)).toEqual([]);
  expect(
    (await server.ask("GET /api/planner/tasks?assigned_to=me", { token: server.tokens.bob })).body.tasks,
  ).toMatchObject([{ id: all[1] }]);
  const page = await send("vic", `GET /tasks?parent_task_id=${parent.id}&limit=2`);
  expect(await ids(`parent_task_id=${parent.id}&limit=2&cursor=${String(page.body.cursor)}`)).toEqual([
    all[2],
  ]);
  for (const wrong of ["status=planned", "limit=0", "cursor=x", "parent_task_id=x"])
    expect((await send("vic", `GET /tasks?${wrong}`)).status, wrong).toBe(422);
});

describe("a change", () => {
  const change = (who: Who, id: string, body: JsonObject) => send(who, `PATCH /tasks/${id}`, body);

  test("to the metadata of a task is one event, and leaves the rest unchanged", async () => {
    const task = await taskIn("in_progress", { description: "old", priority: 2 });
    const { id, row_version: expected_row_version } = task;
    const changed = await change("lea", id, { title: "New", description: null, expected_row_version });
    expect(changed.body).toEqual({
      ...task,
      title: "New",
      description: null,
      row_version: expected_row_version + 1,
      updated_at: (changed.body as PlannerTask).updated_at,
    });
    expect((await log(id)).at(-1)).toMatchObject({
      action: "update",
      payload: { title: "New", description: null },
    });
    const stale = await change("rob", id, { priority: 1, expected_row_version });
    expect(stale).toMatchObject({
      status: 409,
      body: { code: "VERSION_CONFLICT", row_version: expected_row_version + 1 },
    });
    expect((await change("lea", id, { priority: 1 })).body.errors).toMatchObject([
      { path: "expected_row_version" },
    ]);
    const keyless = { priority: 1, expected_row_version: expected_row_version + 1, client_event_id: null };
    expect((await change("lea", id, keyless)).body.errors).toMatchObject([{ path: "client_event_id" }]);
    expect((await change("bob", id, { priority: 1 })).body.code).toBe("FORBIDDEN");
  });

  test("to the status is always refused", async () => {
    const { id, row_version: expected_row_version } = await make();
    for (const body of [
      { status: "done", expected_row_version },
      { status: null },
      { status: "done", title: 7, client_event_id: null },
    ]) {
      const reply = await change("lea", id, body);
      expect(reply).toMatchObject({ status: 422, body: { code: "STATUS_NOT_PATCHABLE" } });
    }
    expect((await change("bob", id, { status: "done" })).body.code).toBe("FORBIDDEN");
    expect((await get(id)).row_version).toBe(1);
  });

  test("to a finished task is refused", async () => {
    const { id, row_version: expected_row_version } = await taskIn("done");
    expect((await change("lea", id, { title: "x", expected_row_version })).body.code).toBe(
      "INVALID_TRANSITION",
    );
  });

  test("to the parent allows no cycle, and only a task of the project", async () => {
    const [top, middle, bottom] = [await make({ title: "Top" }), await make(), await make()];
    const below = (id: string, parent_task_id: string | null, expected_row_version: number) =>
      change("lea", id, { parent_task_id, expected_row_version });
    expect((await below(middle.id, top.id, 1)).body).toMatchObject({ parent_task_id: top.id });
    expect((await below(bottom.id, middle.id, 1)).status).toBe(200);
    for (const parent of [top.id, bottom.id, UNKNOWN, "nonsense"])
      expect((await below(top.id, parent, 1)).body, parent).toMatchObject({
        errors: [{ path: "parent_task_id" }],
      });
    expect((await below(bottom.id, null, 2)).body).toMatchObject({ parent_task_id: null });
    expect((await below(top.id, bottom.id, 1)).status).toBe(200);
    await server.ask("POST /api/projects", { body: { id: "yard" } });
    const elsewhere = await make({ project_id: "yard" });
    expect((await below(elsewhere.id, top.id, 1)).status).toBe(422);
  });
});

describe("a deletion", () => {
  const remove = (who: Who, id: string, version: number | null, key?: string) =>
    send(who, `DELETE /tasks/${id}`, undefined, {
      ...(version === null ? {} : { "if-match": `"${version}"` }),
      "idempotency-key": key ?? randomUUID(),
    });

  test("removes a task that never had an owner; its log stays, and a replay gets the same answer", async () => {
    const { id } = await taskIn("blocked");
    for (const who of ["bob", "rob", "adam"] as const)
      expect((await remove(who, id, 1)).body, who).toMatchObject({
        code: "FORBIDDEN",
        permission: "task.delete",
      });
    expect((await remove("lea", id, 9)).body.code).toBe("VERSION_CONFLICT");
    expect((await remove("lea", id, null)).body.errors).toMatchObject([{ path: "expected_row_version" }]);
    const keyless = await server.ask(`DELETE /api/planner/tasks/${id}`, {
      token: server.tokens.lea,
      headers: { "if-match": '"1"' },
    });
    expect(keyless.body.errors).toMatchObject([{ path: "client_event_id" }]);
    expect((await remove("lea", id, 1, "gone")).status).toBe(204);
    expect((await send("lea", `GET /tasks/${id}`)).body.code).toBe("TASK_NOT_FOUND");
    expect((await log(id)).map(({ action, to_status }) => [action, to_status])).toEqual([
      ["create", "blocked"],
      ["delete", null],
    ]);
    const again = await remove("lea", id, 1, "gone");
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([204, "true"]);
    expect((await remove("sue", id, 1)).body.code).toBe("TASK_NOT_FOUND");
    expect((await server.engine.verify("main")).differences).toEqual([]);
    expect((await server.engine.reconcile("main")).broken).toEqual([]);
  });

  test.each(["assigned", "in_progress", "submitted", "done", "canceled"])(
    "is refused for a task that is %s",
    async (status) => {
      const { id, row_version } = await taskIn(status);
      expect(await remove("lea", id, row_version)).toMatchObject({
        status: 409,
        body: { code: "DELETE_NOT_ALLOWED" },
      });
      expect((await get(id)).row_version).toBe(row_version);
    },
  );

  test("is refused while other tasks depend on the task or are parts of it", async () => {
    const { id } = await make();
    const waits = await make({ title: "Waits", depends_on: [id] });
    const part = await make({ title: "Part", parent_task_id: id });
    const refused = await remove("lea", id, 1);
    expect(refused.body).toMatchObject({ code: "DELETE_NOT_ALLOWED" });
    expect((refused.body.tasks as JsonObject[]).map((task) => task.id).sort()).toEqual(
      [waits.id, part.id].sort(),
    );
    for (const other of [waits, part]) expect((await remove("lea", other.id, 1)).status).toBe(204);
    expect((await remove("lea", id, 1)).status).toBe(204);
  });

  test("and a concurrent creation of a dependent task cannot both succeed, so no blocker is missing", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await make();
      const [deleted, created] = await Promise.all([
        remove("lea", id, 1),
        send("lea", "POST /tasks", { title: "After", depends_on: [id] }),
      ]);
      expect([deleted.status, created.status]).toSatisfy(
        ([gone, made]: number[]) => (gone === 204 && made === 422) || (gone === 409 && made === 201),
      );
    }
  });
});

test("the planner's routes find no task of another lifecycle", async () => {
  const body = { lifecycle: "code", title: "Not for the floor" };
  const token = await server.member({ id: "agent", roles: ["agent", "lead"] });
  const { id } = (await server.ask("POST /api/tasks", { token, body })).body as { id: string };
  for (const path of ["", "/transitions", "/holds", "/contributors", "/escalations"])
    expect((await send("lea", `GET /tasks/${id}${path}`)).body.code).toBe("TASK_NOT_FOUND");
  const move = { action: "cancel", payload: { reason: "r" }, expected_row_version: 1 };
  expect((await send("lea", `POST /tasks/${id}/transitions`, move)).body.code).toBe("TASK_NOT_FOUND");
});
