import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerDeliverable } from "../../../src/lifecycles/planner/api.ts";
import { PLANNER_ROUTES } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, make, taskIn, free } = server;
const UNKNOWN = "0197a000-0000-7000-8000-000000000001";

const PATTERN = {
  name: "Early",
  starts: "06:00",
  ends: "14:00",
  time_zone: "Europe/Berlin",
  weekdays: ["mon"],
  from_date: "2030-01-01",
  members: ["bob"],
};
const pattern = async () =>
  ((await send("lea", "POST /shift-patterns", PATTERN)).body.pattern as { id: string }).id;
const template = async (name: string) =>
  (await send("lea", "POST /templates", { name, type: name, tasks: [{ ref: "cut", title: "Cut" }] })).body
    .id as string;
const farShift = async () => {
  const body = { starts_at: "2030-01-01T08:00:00Z", ends_at: "2030-01-01T16:00:00Z", members: ["bob"] };
  return (await send("lea", "POST /shifts", body)).body.id as string;
};

describe("every route that changes something uses a key once", () => {
  /** For each route: a member, a request that succeeds, and a different request for the same key. */
  type Trial = {
    who: Who;
    path: string;
    body?: JsonObject;
    other?: JsonObject;
    otherPath?: string;
    version?: number;
  };
  const TRIALS: Record<string, () => Promise<Trial>> = {
    createPlannerTask: () =>
      Promise.resolve({ who: "lea", path: "/tasks", body: { title: "A" }, other: { title: "B" } }),
    importPlannerTasks: () =>
      Promise.resolve({
        who: "lea",
        path: "/imports",
        body: { csv: "title\nA" },
        other: { csv: "title\nB" },
      }),
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
      await send("lea", `POST /tasks/${id}/contributors`, { member_id: "eve" });
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
      const { body } = await send("bob", `POST /tasks/${id}/escalations`, { reason: "tools" });
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
        const { body } = await send("lea", `POST /tasks/${id}/holds`, { kind: "qc", reason: "a" });
        return (body.hold as { id: string }).id;
      };
      return {
        who: "lea",
        path: `/tasks/${id}/holds/${await hold()}`,
        otherPath: `/tasks/${id}/holds/${await hold()}`,
      };
    },
    addDependency: async () => {
      const [{ id }, one, two] = [await taskIn("blocked"), await make(), await make()];
      return {
        who: "lea",
        path: `/tasks/${id}/depends_on`,
        body: { blocker_id: one.id },
        other: { blocker_id: two.id },
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
      const create = async (serial: string) =>
        bodyOf<PlannerDeliverable>(201, await send("lea", "POST /deliverables", { type: "submit", serial }))
          .id;
      return {
        who: "lea",
        path: `/deliverables/${await create("a")}/submit`,
        body: {},
        otherPath: `/deliverables/${await create("b")}/submit`,
      };
    },
    inspectDeliverable: async () => {
      const { id } = bodyOf<PlannerDeliverable>(
        201,
        await send("lea", "POST /deliverables", { type: "inspect", serial: "a" }),
      );
      await send("lea", `POST /deliverables/${id}/submit`, {});
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
      const create = async () => (await send("lea", "POST /shifts", body)).body.id as string;
      return {
        who: "lea",
        path: `/shifts/${await create()}/end`,
        body: {},
        otherPath: `/shifts/${await create()}/end`,
      };
    },
    changeShift: async () => {
      const body = { ends_at: "2030-01-01T17:00:00Z" };
      return {
        who: "lea",
        path: `/shifts/${await farShift()}`,
        body,
        other: { ends_at: "2030-01-01T18:00:00Z" },
      };
    },
    extendShift: async () => {
      const body = { ends_at: "2030-01-01T17:00:00Z" };
      return {
        who: "lea",
        path: `/shifts/${await farShift()}/extend`,
        body,
        other: { ends_at: "2030-01-01T18:00:00Z" },
      };
    },
    cancelShift: async () => ({
      who: "lea",
      path: `/shifts/${await farShift()}/cancel`,
      body: { reason: "a" },
      other: { reason: "b" },
    }),
    copyShifts: () => {
      const body = { from: "2030-02-04", to: "2030-02-11", time_zone: "Europe/Berlin" };
      return Promise.resolve({ who: "lea", path: "/shifts/copy", body, other: { to: "2030-02-18" } });
    },
    createShiftPattern: () =>
      Promise.resolve({ who: "lea", path: "/shift-patterns", body: PATTERN, other: { name: "b" } }),
    changeShiftPattern: async () => ({
      who: "lea",
      path: `/shift-patterns/${await pattern()}`,
      body: { name: "a" },
      other: { name: "b" },
    }),
    endShiftPattern: async () => ({
      who: "lea",
      path: `/shift-patterns/${await pattern()}/end`,
      body: {},
      otherPath: `/shift-patterns/${await pattern()}/end`,
    }),
    createTemplate: () => {
      const body = { name: "once", type: "a", tasks: [{ ref: "cut", title: "Cut" }] };
      return Promise.resolve({ who: "lea", path: "/templates", body, other: { type: "b" } });
    },
    deleteTemplate: async () => ({
      who: "lea",
      path: `/templates/${await template("deleted")}`,
      otherPath: `/templates/${await template("kept")}`,
    }),
    createInstance: async () => ({
      who: "lea",
      path: `/templates/${await template("used")}/instances`,
      body: { serial: "a" },
      other: { serial: "b" },
    }),
    changePolicy: () =>
      Promise.resolve({
        who: "sue",
        path: "/projects/main/policy",
        body: { min_skill_to_invite: 6 },
        other: { min_skill_to_invite: 7 },
      }),
  };
  const CHANGING = Object.entries(PLANNER_ROUTES).filter(
    ([name, { method }]) => method !== "GET" && name !== "previewPlannerImport",
  );

  test.each(CHANGING)("%s", async (name, { method, replies }) => {
    const setUp = TRIALS[name];
    if (!setUp) throw new Error(`no trial for ${name}`);
    const { who, path, body, other, otherPath = path, version } = await setUp();
    const headers = (key: string | null) => ({
      ...(key === null ? {} : { "idempotency-key": key }),
      ...(version === undefined ? {} : { "if-match": `"${version}"` }),
    });
    const ask = (to: string, sent: JsonObject | undefined, key: string | null) =>
      server.ask(`${method} /api/planner${to}`, {
        token: server.tokens[who],
        ...(sent === undefined ? {} : { body: sent }),
        headers: headers(key),
      });
    const events = async () => Number((await server.sql`select count(*) from pawl.event`)[0]?.count);

    const keyless = await ask(path, body, null);
    expect(keyless).toMatchObject({ status: 422, body: { errors: [{ path: "client_event_id" }] } });
    const key = `${name} ${randomUUID()}`;
    const [first, twin] = await Promise.all([ask(path, body, key), ask(path, body, key)]);
    expect(Object.keys(replies)).toContain(String(first.status));
    expect(twin.body).toEqual(first.body);
    const count = await events();
    const again = await ask(path, body, key);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const conflict = await ask(otherPath, body && { ...body, ...other }, key);
    expect(conflict.body.code).toBe("IDEMPOTENCY_CONFLICT");
    expect(await events(), "nothing more was written").toBe(count);
  });
});

test("absent and null fields are the same, also when a key is compared", async () => {
  const deliverable = await send("lea", "POST /deliverables", { type: "null", serial: "a" });
  const inspected = `/deliverables/${String(deliverable.body.id)}`;
  await send("lea", `POST ${inspected}/submit`, {});
  const [one, two, three] = [await make(), await taskIn("submitted"), await taskIn("done")];
  const defect = { description: "a crack" };
  const nothing = { cause: null, what_to_fix: null, severity: null };
  const version = { expected_row_version: two.row_version };
  const reject = { action: "review_reject", ...version, payload: { reason: "r", defect } };
  const REQUESTS: [what: string, sent: JsonObject, nulls: JsonObject][] = [
    [
      "POST /tasks",
      { title: "A" },
      { priority: null, depends_on: null, project_id: null, description: null },
    ],
    [`PATCH /tasks/${one.id}`, { priority: 3, expected_row_version: 1 }, { title: null }],
    [
      `POST /tasks/${two.id}/transitions`,
      reject,
      { payload: { ...reject.payload, create_fix: null, defect: { ...defect, ...nothing } } },
    ],
    [`POST /tasks/${three.id}/report-defect`, defect, nothing],
    [`POST /tasks/${three.id}/fix`, { defect }, { title: null, defect_id: null }],
    [
      `POST ${inspected}/inspections`,
      { result: "rejected" },
      { measurements: null, act: null, create_fix: null },
    ],
  ];
  for (const [what, sent, nulls] of REQUESTS) {
    const key = { client_event_id: `null ${what}` };
    const first = await send("lea", what, { ...sent, ...nulls, ...key });
    expect(first.status, `${what} ${first.text}`).toBeLessThan(300);
    const again = await send("lea", what, { ...sent, ...key });
    expect([again.body, again.headers.get("idempotent-replayed")], what).toEqual([first.body, "true"]);
  }
  expect(await server.get(one.id)).toMatchObject({ title: one.title, priority: 3 });
});
