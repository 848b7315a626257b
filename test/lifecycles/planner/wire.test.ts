import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerDeliverable, PlannerTask } from "../../../src/lifecycles/planner/contract.ts";
import { PLANNER_ROUTES } from "../../../src/lifecycles/index.ts";
import { openShopFloor, wanted } from "./shop-floor.ts";
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
      const heard = await change("lea", id, body as JsonObject);
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

describe("every route that changes something takes a key, once", () => {
  /** For each route: somebody, a request that succeeds, and another meaning for its key. */
  type Try = {
    who: Who;
    path: string;
    body?: JsonObject;
    other?: JsonObject;
    otherPath?: string;
    version?: number;
  };
  const TRIES: Record<string, () => Promise<Try>> = {
    createPlannerTask: () =>
      Promise.resolve({ who: "lea", path: "/tasks", body: { title: "A" }, other: { title: "B" } }),
    changePlannerTask: async () => {
      const { id } = await make();
      return {
        who: "lea",
        path: `/tasks/${id}`,
        body: { title: "A", expected_row_version: 1 },
        other: { title: "B" },
      };
    },
    deletePlannerTask: async () => {
      const [one, two] = [await make(), await make()];
      return { who: "lea", path: `/tasks/${one.id}`, otherPath: `/tasks/${two.id}`, version: 1 };
    },
    movePlannerTask: async () => {
      const { id } = await make();
      const body = { action: "cancel", payload: { reason: "a" }, expected_row_version: 1 };
      return { who: "lea", path: `/tasks/${id}/transitions`, body, other: { payload: { reason: "b" } } };
    },
    claimPlannerTask: async () => {
      await free("bob");
      await make();
      return { who: "bob", path: "/claims", body: {}, other: { project_id: "main" } };
    },
    addContributor: async () => {
      const { id } = await taskIn("assigned");
      return {
        who: "lea",
        path: `/tasks/${id}/contributors`,
        body: { member_id: "eve" },
        other: { member_id: "cat" },
      };
    },
    removeContributor: async () => {
      const { id } = await taskIn("assigned");
      await say("lea", `POST /tasks/${id}/contributors`, { member_id: "eve" });
      return {
        who: "lea",
        path: `/tasks/${id}/contributors/eve`,
        otherPath: `/tasks/${id}/contributors/cat`,
      };
    },
    openEscalation: async () => {
      const { id } = await taskIn("assigned");
      return {
        who: "bob",
        path: `/tasks/${id}/escalations`,
        body: { reason: "tools" },
        other: { reason: "access" },
      };
    },
    resolveEscalation: async () => {
      const { id } = await taskIn("assigned");
      const { body } = await say("bob", `POST /tasks/${id}/escalations`, { reason: "tools" });
      const path = `/tasks/${id}/escalations/${(body.escalation as { id: string }).id}/resolve`;
      return { who: "lea", path, body: { note: "a" }, other: { note: "b" } };
    },
    placeHold: async () => {
      const { id } = await taskIn("assigned");
      return {
        who: "lea",
        path: `/tasks/${id}/holds`,
        body: { kind: "qc", reason: "a" },
        other: { reason: "b" },
      };
    },
    releaseHold: async () => {
      const { id } = await taskIn("assigned");
      const hold = async () => {
        const { body } = await say("lea", `POST /tasks/${id}/holds`, { kind: "qc", reason: "a" });
        return (body.hold as { id: string }).id;
      };
      return {
        who: "lea",
        path: `/tasks/${id}/holds/${await hold()}`,
        otherPath: `/tasks/${id}/holds/${await hold()}`,
      };
    },
    removeDependency: async () => {
      const { id, depends_on } = await taskIn("blocked");
      return {
        who: "lea",
        path: `/tasks/${id}/depends_on/${depends_on[0]}`,
        otherPath: `/tasks/${id}/depends_on/${UNKNOWN}`,
      };
    },
    reportDefect: async () => {
      const { id } = await make();
      return {
        who: "lea",
        path: `/tasks/${id}/report-defect`,
        body: { description: "a" },
        other: { description: "b" },
      };
    },
    fixPlannerTask: async () => {
      const { id } = await taskIn("done");
      return {
        who: "lea",
        path: `/tasks/${id}/fix`,
        body: { defect: { description: "a" } },
        other: { title: "b" },
      };
    },
    createDeliverable: () =>
      Promise.resolve({
        who: "lea",
        path: "/deliverables",
        body: { type: "once", serial: "a" },
        other: { serial: "b" },
      }),
    submitDeliverable: async () => {
      const made = async (serial: string) =>
        wanted<PlannerDeliverable>(201, await say("lea", "POST /deliverables", { type: "submit", serial }))
          .id;
      return {
        who: "lea",
        path: `/deliverables/${await made("a")}/submit`,
        body: {},
        otherPath: `/deliverables/${await made("b")}/submit`,
      };
    },
    inspectDeliverable: async () => {
      const { id } = wanted<PlannerDeliverable>(
        201,
        await say("lea", "POST /deliverables", { type: "inspect", serial: "a" }),
      );
      await say("lea", `POST /deliverables/${id}/submit`, {});
      return {
        who: "lea",
        path: `/deliverables/${id}/inspections`,
        body: { result: "rejected" },
        other: { result: "approved" },
      };
    },
    createShift: () => {
      const body = { starts_at: "2030-01-01T08:00:00Z", ends_at: "2030-01-01T16:00:00Z", members: ["bob"] };
      return Promise.resolve({ who: "lea", path: "/shifts", body, other: { members: ["cat"] } });
    },
    endShift: async () => {
      const body = { starts_at: "2030-01-01T08:00:00Z", ends_at: "2030-01-01T16:00:00Z", members: ["wes"] };
      const made = async () => (await say("lea", "POST /shifts", body)).body.id as string;
      return {
        who: "lea",
        path: `/shifts/${await made()}/end`,
        body: {},
        otherPath: `/shifts/${await made()}/end`,
      };
    },
    changePolicy: () =>
      Promise.resolve({
        who: "sue",
        path: "/projects/main/policy",
        body: { min_skill_to_invite: 6 },
        other: { min_skill_to_invite: 7 },
      }),
  };
  const CHANGING = Object.entries(PLANNER_ROUTES).filter(([, { method }]) => method !== "GET");

  test.each(CHANGING)("%s", async (name, { method, replies }) => {
    const setUp = TRIES[name];
    if (!setUp) throw new Error(`${name} is not tried`);
    const { who, path, body, other, otherPath = path, version } = await setUp();
    const headers = (key: string | null) => ({
      ...(key === null ? {} : { "idempotency-key": key }),
      ...(version === undefined ? {} : { "if-match": `"${version}"` }),
    });
    const ask = (to: string, sent: JsonObject | undefined, key: string | null) =>
      floor.ask(`${method} /api/planner${to}`, {
        token: floor.tokens[who],
        ...(sent === undefined ? {} : { body: sent }),
        headers: headers(key),
      });
    const events = async () => Number((await floor.sql`select count(*) from pawl.event`)[0]?.count);

    const keyless = await ask(path, body, null);
    expect(keyless).toMatchObject({ status: 422, body: { errors: [{ path: "client_event_id" }] } });
    const key = `${name} ${randomUUID()}`;
    const [first, twin] = await Promise.all([ask(path, body, key), ask(path, body, key)]);
    expect(Object.keys(replies)).toContain(String(first.status));
    expect(twin.body).toEqual(first.body);
    const told = await events();
    const again = await ask(path, body, key);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const conflict = await ask(otherPath, body && { ...body, ...other }, key);
    expect(conflict.body.code).toBe("IDEMPOTENCY_CONFLICT");
    expect(await events(), "nothing more was written").toBe(told);
  });
});
