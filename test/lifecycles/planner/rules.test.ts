import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { CREW, startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, move, get, log, make, taskIn, free } = server;

const LEADS: Who[] = ["lea", "sue"];
const reason = { reason: "so" };

/** The table of the specification: from, action, to, actors, payload, and other changes. bob owns tasks that have an owner. */
type Row = [
  from: string,
  action: string,
  to: string,
  who: Who[],
  payload: JsonObject,
  changed: JsonObject,
  /** Prepares the task so that the move is possible. */
  ready?: (id: string) => Promise<void>,
];
const TABLE: Row[] = [
  ["blocked", "unblock", "available", [...LEADS, "rob"], {}, { assigned_to: null }, blockerIsDone],
  ["available", "self_assign", "assigned", ["cat"], {}, { assigned_to: "cat", assigned_by: null }],
  ["available", "assign", "assigned", LEADS, { assign_to: "bob" }, { assigned_to: "bob" }],
  ["assigned", "start", "in_progress", ["bob"], {}, {}],
  ["in_progress", "submit", "submitted", ["bob"], {}, { assigned_to: "bob" }],
  ["submitted", "review_approve", "done", LEADS, {}, { self_checked: false }],
  ["submitted", "review_reject", "in_progress", LEADS, reason, { assigned_to: "bob" }],
  [
    "assigned",
    "shift_release",
    "available",
    ["rob"],
    {},
    { assigned_to: null, assigned_at: null },
    shiftIsOver,
  ],
  [
    "in_progress",
    "shift_release",
    "available",
    ["rob"],
    {},
    { assigned_to: null, contributors: [] },
    shiftIsOver,
  ],
  ["assigned", "recall_to_pool", "available", LEADS, reason, { assigned_to: null, contributors: [] }],
  ["in_progress", "recall_to_pool", "available", LEADS, reason, { assigned_to: null, assigned_at: null }],
  ["assigned", "escalate", "assigned", ["bob"], { reason: "tools" }, { needs_attention: true }],
  ["in_progress", "escalate", "in_progress", ["bob"], { reason: "other", text: "it is dark" }, {}],
  ["submitted", "escalate", "submitted", ["bob"], { reason: "overlap" }, { assigned_to: "bob" }],
  ["available", "cancel", "canceled", LEADS, reason, { assigned_to: null }],
  ["assigned", "cancel", "canceled", LEADS, reason, { assigned_to: null }],
  ["in_progress", "cancel", "canceled", LEADS, reason, { assigned_to: null }],
  ["submitted", "cancel", "canceled", LEADS, reason, { assigned_to: "bob" }],
];

/** Finishes the task's blocker without unblocking the task. */
async function blockerIsDone(id: string): Promise<void> {
  const [blocker] = (await get(id)).depends_on as [string];
  await server.sql`update pawl.dependency set resolved = true where task_id = ${id}`;
  await free("bob");
  for (const action of ["self_assign", "start", "submit"]) await act("bob", blocker, action);
  await act("lea", blocker, "review_approve");
  await server.sql`update pawl.task set open_blockers = 0 where id = ${id}`;
}

/** Ends the owner's shift without a sweep. */
async function shiftIsOver(): Promise<void> {
  const [starts_at, ends_at] = [-60_000, 20].map((ms) => new Date(Date.now() + ms).toISOString());
  await send("lea", "POST /shifts", { starts_at, ends_at, members: ["bob"] });
  await expect.poll(() => Date.now(), { interval: 5 }).toBeGreaterThan(Date.parse(ends_at!) + 20);
}

/** Members whose role has the permission, but whom the rule refuses. */
const OUTSIDERS: Record<string, [who: Who, code: string][]> = {
  start: [["cat", "NOT_OWNER"]],
  submit: [["cat", "NOT_OWNER"]],
  review_approve: [
    ["bob", "SKILL_TOO_LOW"],
    ["cat", "NOT_OWNER"],
  ],
  escalate: [
    ["cat", "FORBIDDEN"],
    ["lea", "FORBIDDEN"],
  ],
};
const PERMITTED: Record<string, Who[]> = {
  self_assign: ["bob", "cat", "dan", "eve"],
  start: ["bob", "cat", "dan", "eve"],
  submit: ["bob", "cat", "dan", "eve"],
  review_approve: ["bob", "cat", "dan", "eve", ...LEADS],
  escalate: ["bob", "cat", "dan", "eve", ...LEADS],
};

describe.each(TABLE)("%s --%s--> %s", (from, action, to, who, payload, changed, ready) => {
  const everybody = Object.keys(CREW) as Who[];
  const readyTask = async () => {
    const task = await taskIn(from);
    await ready?.(task.id);
    return task;
  };

  test("a role without the permission is refused with its name, even if the request has other mistakes", async () => {
    const { id } = await taskIn(from);
    const refused = everybody.filter((one) => one !== "tom" && !(PERMITTED[action] ?? who).includes(one));
    expect(refused.length).toBeGreaterThan(4);
    for (const one of refused) {
      const { body } = await move(one, id, action, payload, { expected_row_version: 99 });
      expect(body, one).toMatchObject({ code: "FORBIDDEN", permission: `task.${action}` });
      expect((await send(one, `POST /tasks/nothing/transitions`, { action, payload: 7 })).body.code).toBe(
        "FORBIDDEN",
      );
    }
    for (const [one, code] of OUTSIDERS[action] ?? [])
      expect(await act(one, id, action, payload), one).toBe(code);
    expect((await get(id)).status).toBe(from);
  });

  test("a stale or missing version and a missing key are refused and change nothing", async () => {
    const { id, row_version } = await readyTask();
    const [one] = who as [Who];
    const stale = await move(one, id, action, payload, { expected_row_version: row_version - 1 });
    expect(stale).toMatchObject({ status: 409, body: { code: "VERSION_CONFLICT", row_version } });
    const without = await move(one, id, action, payload, {
      expected_row_version: null,
      client_event_id: null,
    });
    expect(without).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR" } });
    if (action !== "escalate") {
      const versionless = await move(one, id, action, payload, { expected_row_version: null });
      expect(versionless).toMatchObject({
        status: 422,
        body: { errors: [{ path: "expected_row_version" }] },
      });
    }
    expect(await get(id)).toMatchObject({ status: from, row_version });
  });

  test.each(who)("%s may perform it, once per key", async (one) => {
    const { id, row_version } = await readyTask();
    if (from === "available") for (const executor of ["bob", "cat"] as const) await free(executor);
    const key = randomUUID();
    const how = { client_event_id: key, expected_row_version: row_version };
    const first = await move(one, id, action, payload, how);
    expect(first.body.task ?? first.body).toMatchObject({
      status: to,
      row_version: row_version + 1,
      ...changed,
    });
    expect(first.body.transition).toMatchObject({
      id: `${id}.${row_version + 1}`,
      action,
      from_status: from,
      to_status: to,
      actor_id: one,
      expected_row_version: row_version,
      result_row_version: row_version + 1,
      client_event_id: key,
      payload,
    });
    expect(first.headers.get("etag")).toBe(`"${row_version + 1}"`);
    // After another change, the key still gets the first answer, with any version.
    await send("lea", `PATCH /tasks/${id}`, { priority: 3, expected_row_version: row_version + 1 });
    for (const version of [row_version, 1]) {
      const again = await move(one, id, action, payload, { ...how, expected_row_version: version });
      expect(again.body).toEqual(first.body);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    const unread = await move(one, id, action, { ...payload, unknown_field: "this" }, how);
    expect(unread.body).toEqual(first.body);
    const other = await readyTask();
    expect((await move(one, other.id, action, payload, how)).body.code).toBe("IDEMPOTENCY_CONFLICT");
    expect((await log(id)).filter((entry) => entry.client_event_id === key)).toHaveLength(1);
  });
});

test("the refusal of an action names the statuses from which it starts", async () => {
  for (const [from, action, , [one], payload] of TABLE) {
    const elsewhere = [
      "blocked",
      "available",
      "assigned",
      "in_progress",
      "submitted",
      "done",
      "canceled",
    ].filter((status) => !TABLE.some((row) => row[1] === action && row[0] === status));
    if (from !== TABLE.find((row) => row[1] === action)?.[0] || action === "escalate") continue;
    const { id } = await taskIn(elsewhere.at(-1) ?? "done");
    const { status, body } = await move(one ?? "lea", id, action, payload);
    expect([status, body.code], action).toEqual([409, "INVALID_TRANSITION"]);
    expect(body.starts_from).toContain(from);
    expect(body.detail).toContain(from);
  }
});

describe("each guard, if only it fails", () => {
  test("self_assign: skill, trade, and one task at a time", async () => {
    const { id } = await make({ required_trade: "painter" });
    expect(await act("dan", id, "self_assign")).toBe("SKILL_TOO_LOW");
    expect(await act("bob", id, "self_assign")).toBe("TRADE_MISMATCH");
    await free("eve");
    const held = await make();
    expect(await act("eve", held.id, "self_assign")).toBe("assigned");
    const { status, body } = await move("eve", id, "self_assign");
    expect([status, body.code, body.task_id]).toEqual([409, "WIP_LIMIT", held.id]);
    expect(body.detail).toContain(held.title);
    await free("eve");
    expect(await act("eve", id, "self_assign")).toBe("assigned");
  });

  test("assign: an active executor of the project, with the trade and without another task", async () => {
    const { id } = await make({ required_trade: "painter" });
    for (const assign_to of ["nobody", "lea", "vic"]) {
      expect(await act("lea", id, "assign", { assign_to })).toBe("VALIDATION_ERROR");
    }
    await server.member({ id: "off", roles: ["executor"], active: false, specializations: ["painter"] });
    await server.member({ id: "far", roles: ["executor"], project_ids: [], specializations: ["painter"] });
    for (const assign_to of ["off", "far"])
      expect(await act("lea", id, "assign", { assign_to })).toBe("VALIDATION_ERROR");
    await free("eve");
    const held = await make();
    await act("eve", held.id, "self_assign");
    expect(await act("lea", id, "assign", { assign_to: "eve" })).toBe("WIP_LIMIT");
    await free("bob");
    expect(await act("lea", id, "assign", { assign_to: "bob" })).toBe("TRADE_MISMATCH");
    expect(await act("lea", id, "assign", { assign_to: "bob", override_trade: true })).toBe("TRADE_MISMATCH");
    await send("sue", "PATCH /projects/main/policy", { allow_trade_override: true });
    expect(await act("lea", id, "assign", { assign_to: "bob" })).toBe("TRADE_MISMATCH");
    expect(await act("lea", id, "assign", { assign_to: "bob", override_trade: true })).toBe("assigned");
    await send("sue", "PATCH /projects/main/policy", { allow_trade_override: null });
  });

  test("WIP_LIMIT hides the title of a task in a project that the lead cannot see", async () => {
    await server.ask("POST /api/projects", { body: { id: "vault" } });
    const token = await server.member({ id: "len", roles: ["lead"], project_ids: ["main"] });
    await free("bob");
    const secret = await make({ project_id: "vault", title: "The new prototype" });
    await act("bob", secret.id, "self_assign");
    const { id } = await make();
    const body = { action: "assign", payload: { assign_to: "bob" }, expected_row_version: 1 };
    const replyTo = async (who: string) =>
      (
        await server.ask(`POST /api/planner/tasks/${id}/transitions`, {
          token: who,
          body: { ...body, client_event_id: randomUUID() },
        })
      ).text;
    expect(await replyTo(token)).toContain("WIP_LIMIT");
    expect(await replyTo(token)).not.toContain("prototype");
    expect(await replyTo(server.tokens.lea)).toContain("prototype");
    await free("bob");
  });

  test("recall_to_pool, cancel, escalate and review_reject need a reason", async () => {
    const { id } = await taskIn("in_progress");
    for (const [who, action] of [
      ["lea", "recall_to_pool"],
      ["lea", "cancel"],
      ["bob", "escalate"],
    ] as const)
      for (const given of [{}, { reason: " " }, { reason: null }]) {
        const { status, body } = await move(who, id, action, given);
        expect([status, body.code]).toEqual([422, "REASON_REQUIRED"]);
      }
    expect(await act("bob", id, "escalate", { reason: "bored" })).toBe("VALIDATION_ERROR");
    expect(await act("bob", id, "escalate", { reason: "other" })).toBe("VALIDATION_ERROR");
    const submitted = await taskIn("submitted");
    expect(await act("lea", submitted.id, "review_reject")).toBe("REASON_REQUIRED");
  });

  test("an owner with enough skill self-checks; a lead who owns the task approves as lead", async () => {
    for (const [owner, outcome] of [
      ["cat", { self_checked: true, reviewed_by: null }],
      ["tom", { self_checked: false, reviewed_by: "tom" }],
    ] as const) {
      await free(owner);
      const { id } = await make();
      for (const action of ["self_assign", "start", "submit"]) await act(owner, id, action);
      expect(await act(owner, id, "review_approve")).toBe("done");
      const task = await get(id);
      expect(task).toMatchObject(outcome);
      expect(task.reviewed_at).toBe(task.updated_at);
    }
  });

  test("shift_release by request needs the role system and an ended shift of the owner", async () => {
    const { id } = await taskIn("in_progress");
    expect(await act("lea", id, "shift_release")).toBe("FORBIDDEN");
    expect(await act("rob", id, "shift_release")).toBe("SHIFT_NOT_OVER");
  });

  test("unblock, recall_to_pool and shift_release are refused for a task on hold", async () => {
    for (const [from, who, action, ready] of [
      ["blocked", "sue", "unblock", blockerIsDone],
      ["in_progress", "lea", "recall_to_pool", () => Promise.resolve()],
      ["assigned", "rob", "shift_release", shiftIsOver],
    ] as const) {
      const { id } = await taskIn(from);
      await ready(id);
      await send("lea", `POST /tasks/${id}/holds`, { kind: "access", reason: "locked" });
      expect(await act(who, id, action, reason), action).toBe("OPEN_HOLDS");
    }
  });

  test("qc actions point to inspections, and unknown actions are invalid", async () => {
    const { id } = await make();
    expect(await move("lea", id, "qc_approve")).toMatchObject({
      status: 422,
      body: { code: "QC_ACTION_FORBIDDEN" },
    });
    expect((await move("lea", id, "qc_approve")).body.detail).toContain("inspection");
    expect(await move("lea", id, "aprove")).toMatchObject({
      status: 422,
      body: { code: "VALIDATION_ERROR" },
    });
  });

  test("unblock is refused while a blocker is open, with the blocker's id", async () => {
    const blocked = await taskIn("blocked");
    const { status, body } = await move("lea", blocked.id, "unblock");
    expect([status, body.code]).toEqual([409, "UNRESOLVED_BLOCKERS"]);
    expect(body.detail).toContain(blocked.depends_on[0]);
    expect(await act("bob", blocked.id, "unblock")).toBe("FORBIDDEN");
  });
});
