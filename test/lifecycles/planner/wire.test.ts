import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerDeliverable, PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { wanted } from "../../http/front-desk.ts";
import { openShopFloor } from "./shop-floor.ts";
import type { Who } from "./shop-floor.ts";

const floor = await openShopFloor();
const { say, act, get, log, make, taskIn, free } = floor;
const UNKNOWN = "0197a000-0000-7000-8000-000000000001";

const FIELDS =
  `id, org_id, project_id, deliverable_id, title, description, kind, status, row_version, priority, required_trade,
  depends_on, holds, assigned_to, assigned_by, assigned_at, started_at, submitted_at, reviewed_by, reviewed_at, self_checked,
  contributors, needs_attention, fix_of_task_id, parent_task_id, created_by, created_at, updated_at`.split(
    /,\s*/,
  );

test("a task on the wire has the fields that were agreed, and no others", async () => {
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
  const heard = await say("vic", `GET /tasks/${task.id}`);
  expect(heard.body).toEqual(task);
  expect(heard.headers.get("etag")).toBe('"1"');
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
])("a task with %j is refused and told where", async (wrong, path) => {
  const heard = await say("lea", "POST /tasks", { title: "Weld", ...wrong });
  expect(heard).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR", errors: [{ path }] } });
});

test("lists are filtered and come page by page", async () => {
  const deliverable = wanted<PlannerDeliverable>(
    201,
    await say("lea", "POST /deliverables", { type: "list", serial: "1" }),
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
    wanted<{ tasks: PlannerTask[] }>(200, await say("vic", `GET /tasks?${query}`)).tasks.map(({ id }) => id);
  const all = parts.map(({ id }) => id);
  expect(await ids(`parent_task_id=${parent.id}`)).toEqual(all);
  expect(await ids(`deliverable_id=${deliverable.id}`)).toEqual(all);
  expect(await ids(`parent_task_id=${parent.id}&status=assigned`)).toEqual([all[1]]);
  expect(await ids(`parent_task_id=${parent.id}&q=THREE&required_trade=welder&kind=work`)).toEqual([all[2]]);
  expect(await ids(`parent_task_id=${parent.id}&kind=fix`)).toEqual([]);
  expect(
    (await floor.ask("GET /api/planner/tasks?assigned_to=me", { token: floor.tokens.bob })).body.tasks,
  ).toMatchObject([{ id: all[1] }]);
  const page = await say("vic", `GET /tasks?parent_task_id=${parent.id}&limit=2`);
  expect(await ids(`parent_task_id=${parent.id}&limit=2&cursor=${String(page.body.cursor)}`)).toEqual([
    all[2],
  ]);
  for (const wrong of ["status=planned", "limit=0", "cursor=x", "parent_task_id=x"])
    expect((await say("vic", `GET /tasks?${wrong}`)).status, wrong).toBe(422);
});

describe("a change", () => {
  const change = (who: Who, id: string, body: JsonObject) => say(who, `PATCH /tasks/${id}`, body);

  test("of what a task says of itself is one event, and leaves the rest as it is", async () => {
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

  test("of the status is no change, however it is sent", async () => {
    const { id, row_version: expected_row_version } = await make();
    for (const body of [
      { status: "done", expected_row_version },
      { status: null },
      { status: "done", title: 7, client_event_id: null },
    ]) {
      const heard = await change("lea", id, body);
      expect(heard).toMatchObject({ status: 422, body: { code: "STATUS_NOT_PATCHABLE" } });
    }
    expect((await change("bob", id, { status: "done" })).body.code).toBe("FORBIDDEN");
    expect((await get(id)).row_version).toBe(1);
  });

  test("of a finished task is too late", async () => {
    const { id, row_version: expected_row_version } = await taskIn("done");
    expect((await change("lea", id, { title: "x", expected_row_version })).body.code).toBe(
      "INVALID_TRANSITION",
    );
  });

  test("of the parent makes no ring, and names a task of the project", async () => {
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
    await floor.ask("POST /api/projects", { body: { id: "yard" } });
    const elsewhere = await make({ project_id: "yard" });
    expect((await below(elsewhere.id, top.id, 1)).status).toBe(422);
  });
});

describe("a deletion", () => {
  const remove = (who: Who, id: string, version: number | null, key?: string) =>
    say(who, `DELETE /tasks/${id}`, undefined, {
      ...(version === null ? {} : { "if-match": `"${version}"` }),
      "idempotency-key": key ?? randomUUID(),
    });

  test("takes a task away that nobody has begun; its log stays, and a replay is answered the same", async () => {
    const { id } = await taskIn("blocked");
    for (const who of ["bob", "rob", "adam"] as const)
      expect((await remove(who, id, 1)).body, who).toMatchObject({
        code: "FORBIDDEN",
        permission: "task.delete",
      });
    expect((await remove("lea", id, 9)).body.code).toBe("VERSION_CONFLICT");
    expect((await remove("lea", id, null)).body.errors).toMatchObject([{ path: "expected_row_version" }]);
    const keyless = await floor.ask(`DELETE /api/planner/tasks/${id}`, {
      token: floor.tokens.lea,
      headers: { "if-match": '"1"' },
    });
    expect(keyless.body.errors).toMatchObject([{ path: "client_event_id" }]);
    expect((await remove("lea", id, 1, "gone")).status).toBe(204);
    expect((await say("lea", `GET /tasks/${id}`)).body.code).toBe("TASK_NOT_FOUND");
    expect((await log(id)).map(({ action, to_status }) => [action, to_status])).toEqual([
      ["create", "blocked"],
      ["delete", null],
    ]);
    const again = await remove("lea", id, 1, "gone");
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([204, "true"]);
    expect((await remove("sue", id, 1)).body.code).toBe("TASK_NOT_FOUND");
    expect((await floor.engine.verify("main")).differences).toEqual([]);
    expect((await floor.engine.reconcile("main")).broken).toEqual([]);
  });

  test.each(["assigned", "in_progress", "submitted", "done", "canceled"])(
    "of a task that is %s is not allowed",
    async (status) => {
      const { id, row_version } = await taskIn(status);
      expect(await remove("lea", id, row_version)).toMatchObject({
        status: 409,
        body: { code: "DELETE_NOT_ALLOWED" },
      });
      expect((await get(id)).row_version).toBe(row_version);
    },
  );

  test("of a task that others wait for, or are parts of, is not allowed until they are gone", async () => {
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

  test("and a creation that waits for the task, at once: one of them wins, and nobody waits for nothing", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await make();
      const [deleted, created] = await Promise.all([
        remove("lea", id, 1),
        say("lea", "POST /tasks", { title: "After", depends_on: [id] }),
      ]);
      expect([deleted.status, created.status]).toSatisfy(
        ([gone, made]: number[]) => (gone === 204 && made === 422) || (gone === 409 && made === 201),
      );
    }
  });
});

test("the planner's door leads to the planner alone", async () => {
  const body = { lifecycle: "code", title: "Not for the floor" };
  const token = await floor.member({ id: "agent", roles: ["agent", "lead"] });
  const { id } = (await floor.ask("POST /api/tasks", { token, body })).body as { id: string };
  for (const path of ["", "/transitions", "/holds", "/contributors", "/escalations"])
    expect((await say("lea", `GET /tasks/${id}${path}`)).body.code).toBe("TASK_NOT_FOUND");
  const move = { action: "cancel", payload: { reason: "r" }, expected_row_version: 1 };
  expect((await say("lea", `POST /tasks/${id}/transitions`, move)).body.code).toBe("TASK_NOT_FOUND");
});
