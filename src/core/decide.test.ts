import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  decideRequest,
  member,
  NEVER_BEGUN,
  NOW,
  situationOf,
  taskIn,
} from "../../test/support/situation.ts";
import { LIFECYCLES } from "../lifecycles/index.ts";
import { validateCommand } from "./validate-command.ts";
import { apply } from "./apply.ts";
import { refuse } from "./decision.ts";
import { defineLifecycle } from "./define-lifecycle.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { canSee, SYSTEM } from "./task.ts";
import type { Task } from "./task.ts";

const parcel = defineLifecycle({
  name: "parcel",
  version: 1,
  summary: "",
  data: z.object({ weight: z.number() }),
  statuses: { packed: {}, sent: {}, lost: { final: true } },
  actions: {
    send: { input: z.object({ by: z.string(), insured: z.boolean().default(false) }) },
    nudge: {},
    lose: {},
  },
  creation: {
    input: z.object({}),
    to: [{ status: "packed" }],
    draft: () => ({ title: "", data: { weight: 1 } }),
  },
  rules: [
    {
      action: "send",
      from: "packed",
      to: "sent",
      who: "creator",
      guards: ["light", "by_air"],
      effects: ["weigh"],
    },
    { action: "send", from: "packed", to: "sent", who: "assignee", guards: ["light"] },
    { action: "nudge", from: "packed", who: "anyone", outcome: "touched" },
    { action: "nudge", from: "sent", who: "anyone", outcome: "absorbed" },
    { action: "lose", from: ["packed", "sent"], to: "lost", who: ["creator", "assignee"] },
  ],
  guards: {
    light: ({ task }) => task.data.weight < 10 || refuse("TOO_HEAVY", "too heavy"),
    by_air: ({ input }) => input.by === "air" || refuse("NOT_BY_AIR", "only by air"),
  },
  effects: {
    weigh: {
      change: () => ({ data: { weight: 3 }, priority: 9 }),
      comment: () => "weighed",
      side_effects: () => [{ kind: "print_label" }],
    },
  },
});

const ann = member("ann", ["member"]);
function outcome(actor = ann, task: Partial<Task> = {}, payload: object = { by: "air" }, action = "send") {
  const at = taskIn(parcel, "packed", { created_by: "ann", data: { weight: 1 }, ...task });
  return decideRequest(parcel, situationOf(parcel, at, actor), { action, payload, comment: "please" });
}

describe("decide", () => {
  test("a move has the patch, the effects and the event", () => {
    expect(outcome()).toEqual({
      kind: "moved",
      to: "sent",
      patch: { priority: 9, data: { weight: 3 } },
      timer: null,
      lease: "keep",
      effects: [{ kind: "print_label" }],
      event: { type: "send", action: "send", from: "packed", to: "sent", comment: "weighed" },
    });
  });

  test("a touch has no event", () => {
    expect(outcome(ann, {}, {}, "nudge")).toEqual({
      kind: "touched",
      patch: {},
      timer: "keep",
      lease: "keep",
    });
  });

  test("an absorbed command changes nothing", () => {
    expect(outcome(ann, { status: "sent" }, {}, "nudge")).toEqual({ kind: "absorbed" });
  });

  test("refuses with the reason of the rule that passed the most checks", () => {
    expect(outcome(ann, { data: { weight: 50 } })).toMatchObject({ code: "TOO_HEAVY" });
    expect(outcome(ann, {}, { by: "sea" })).toMatchObject({ code: "NOT_BY_AIR" });
    expect(outcome(member("bob", ["member"]))).toMatchObject({
      code: "FORBIDDEN",
      detail: '"send" from packed is for: assignee.',
    });
  });

  test("the first rule that fits wins; the next one is tried if it does not fit", () => {
    expect(outcome(ann, { assigned_to: "ann" })).toMatchObject({ effects: [{ kind: "print_label" }] });
    expect(outcome(ann, { assigned_to: "ann" }, { by: "sea" })).toMatchObject({ kind: "moved", effects: [] });
  });

  test("names the statuses that an action starts from", () => {
    expect(outcome(ann, { status: "lost" }, {}, "lose")).toMatchObject({
      code: "INVALID_TRANSITION",
      detail: '"lose" starts from packed, sent; the task is lost.',
      params: { status: "lost", starts_from: ["packed", "sent"] },
    });
  });
});

describe("admit", () => {
  test.each<[string, object, object]>([
    [
      "an unknown action",
      { action: "sned" },
      { code: "VALIDATION_ERROR", detail: 'There is no action "sned"; did you mean "send"?' },
    ],
    ["an inherited name", { action: "constructor" }, { code: "VALIDATION_ERROR" }],
    [
      "a missing field",
      { action: "send", payload: {} },
      { code: "VALIDATION_ERROR", params: { errors: [{ path: "by" }] } },
    ],
    ["a payload that is not an object", { action: "send", payload: 5 }, { code: "VALIDATION_ERROR" }],
    [
      "NUL in a string",
      { action: "send", payload: { by: "a\0b" } },
      { code: "VALIDATION_ERROR", params: { errors: [{ path: "by" }] } },
    ],
    ["NUL in the comment", { action: "nudge", comment: "a\0" }, { code: "VALIDATION_ERROR" }],
    ["a comment that is not a string", { action: "nudge", comment: 5 }, { code: "VALIDATION_ERROR" }],
    [
      "a lone surrogate in the key",
      { action: "nudge", client_event_id: "\ud800" },
      { code: "VALIDATION_ERROR" },
    ],
    ["a fractional version", { action: "nudge", expected_row_version: 1.5 }, { code: "VALIDATION_ERROR" }],
    ["nesting that is too deep", { action: "nudge", payload: nested(5_000) }, { code: "VALIDATION_ERROR" }],
    [
      "a lone surrogate in a nested value",
      { action: "send", payload: { by: "x", more: [{ a: "\ud800" }] } },
      { code: "VALIDATION_ERROR", params: { errors: [{ path: "more.0.a" }] } },
    ],
  ])("refuses %s", (_, request, refusal) => {
    expect(validateCommand(parcel, ann, request as { action: string })).toMatchObject({
      kind: "refused",
      ...refusal,
    });
  });

  test("ignores unknown keys, fills defaults, trims the comment", () => {
    expect(
      validateCommand(parcel, ann, { action: "send", payload: { by: "air", extra: 1 }, comment: "  hi " }),
    ).toEqual({
      kind: "admitted",
      command: {
        action: "send",
        input: { by: "air", insured: false },
        comment: "hi",
        expected_row_version: null,
        lease_token: null,
      },
    });
  });

  test.each([[[]], [["viewer"]]])("refuses a member with roles %j", (roles) => {
    expect(validateCommand(parcel, member("v", roles), { action: "nudge" })).toMatchObject({
      code: "FORBIDDEN",
    });
  });
});

function nested(levels: number): object {
  return Array.from({ length: levels }).reduce<object>((inner) => ({ a: inner }), {});
}

test.each([
  [{ project_ids: null }, {}, true],
  [{ project_ids: ["main"] }, {}, true],
  [{ project_ids: ["other"] }, {}, false],
  [{}, { private: true }, false],
  [{}, { private: true, created_by: "ann" }, true],
  [{}, { private: true, assigned_to: "ann" }, true],
  [{ project_ids: [] }, { private: true, assigned_to: "ann" }, false],
])("ann with %j sees a task with %j: %s", (actor, task, sees) => {
  expect(canSee({ ...ann, ...actor }, taskIn(parcel, "packed", task))).toBe(sees);
});

describe.each(LIFECYCLES)("random commands in $name", (lifecycle) => {
  /** Inputs that are valid for some actions, so that enough of the random commands are accepted. */
  const payload = fc.record(
    {
      reason: fc.constantFrom("materials", "because"),
      assign_to: fc.constantFrom("a", "b"),
      resolution: fc.constant("mended"),
      error: fc.constantFrom(
        "broke",
        { code: "X", message: "", retryable: true },
        { code: "Y", message: "", retryable: false },
      ),
      recoverable: fc.boolean(),
      commit: fc.constant("abc"),
      worktree: fc.constant("/w"),
      branch: fc.constant("b"),
      blocker_id: fc.constant("t2"),
      hold_id: fc.constant("h1"),
      kind: fc.constant("materials"),
      member_id: fc.constantFrom("a", "b"),
      message_id: fc.constant(1),
      telegram_file_id: fc.constant("tg"),
      status: fc.constantFrom("done", "error"),
      displayText: fc.constantFrom("one", "two"),
    },
    { requiredKeys: ["reason", "error", "commit", "worktree", "branch", "message_id", "telegram_file_id"] },
  );
  const everyRole = ["agent", "worker", "executor", "lead", "system"];
  const step = fc.record({
    pick: fc.nat(),
    anywhere: fc.integer({ min: 0, max: 9 }),
    who: fc.constantFrom("holder", "holder", "a", "b", "creator", "system"),
    roles: fc.constantFrom(
      everyRole,
      everyRole,
      everyRole,
      ["executor"],
      ["lead"],
      ["agent"],
      ["worker"],
      ["viewer"],
    ),
    skill: fc.integer({ min: 1, max: 10 }),
    payload,
    minutes: fc.constantFrom(0, 1, 5, 30, 3000),
    token: fc.constantFrom("right", "right", "wrong"),
    blockerDone: fc.boolean(),
  });

  test("final statuses are final, invariants hold, the version grows by one, decisions are deterministic", () => {
    let moves = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: "max" }), fc.nat({ max: 2 }), (steps, blockers) => {
        let task = born(lifecycle, blockers);
        let now = NOW;
        for (const { pick, anywhere, roles, skill, payload, minutes, token, blockerDone, ...step } of steps) {
          now += minutes * 60_000;
          if (blockerDone) task = { ...task, open_blockers: Math.max(0, task.open_blockers - 1) };
          // Mostly actions that start here, by the holder of the task: otherwise almost every command would be refused.
          const actions = Object.keys(lifecycle.actions).filter(
            (action) => anywhere === 0 || lifecycle.rules_by_action.get(action)?.has(task.status),
          );
          const action = actions[pick % actions.length] ?? "";
          const who = step.who === "holder" ? (task.lease?.holder ?? task.assigned_to ?? "a") : step.who;
          const actor =
            who === "system" ? SYSTEM : member(who, roles, { skill_level: skill, kind: "worker" });
          const situation = situationOf(lifecycle, task, actor, { facts: factsFor(task), now });
          const request = {
            action,
            payload,
            comment: "why not",
            client_event_id: "k",
            expected_row_version: task.row_version,
            lease_token: token === "right" ? (task.lease?.token ?? "none") : "wrong",
          };
          const decision = decideRequest(lifecycle, situation, request);
          expect(decideRequest(lifecycle, structuredClone(situation), request)).toEqual(decision);
          if (decision.kind !== "moved" && decision.kind !== "touched") continue;
          const lease = {
            token: `t${task.row_version}`,
            holder: who,
            until: now + 60_000,
            heartbeat_at: now,
          };
          const next = apply(task, decision, now, lease);
          if (decision.kind === "moved") moves++;
          else expect(next.status).toBe(task.status);
          if (lifecycle.statuses[task.status]?.final) expect(next.status).toBe(task.status);
          for (const [name, holds] of Object.entries(lifecycle.invariants))
            expect(holds(next), name).toBe(true);
          task = next;
        }
      }),
      { numRuns: 400 },
    );
    // If all commands were refused, the property would prove nothing.
    expect(moves).toBeGreaterThan(500);
  });
});

function born(lifecycle: Lifecycle, open_blockers: number): Task {
  const begins = lifecycle.creation.to.find(
    ({ guards = [] }) => open_blockers === 0 || !guards.includes("blockers_done"),
  );
  const status = begins?.status ?? "";
  const timer = lifecycle.statuses[status]?.timers?.[0];
  return taskIn(lifecycle, status, {
    open_blockers,
    due_at: timer ? NOW : null,
    due_action: timer?.action ?? null,
    data: {
      kind: "work",
      required_trade: null,
      contributors: ["b"],
      open_escalations: 0,
      depends_on: [],
      holds: [],
      flags: [],
      max_attempts: 3,
      auto_unblock: true,
      payload: null,
    },
  });
}

function factsFor(task: Task) {
  return {
    work_of_actor: [],
    owner_key_taken: false,
    target: { id: "a", active: true, roles: ["executor"], specializations: [], works_here: true, work: [] },
    named_blocker: null,
    fresh_id: "h1",
    deliverable_here: true,
    parent_here: true,
    dependents: [],
    history: NEVER_BEGUN,
    shift_of_owner: { over: true },
    escalation: { id: "e", open: true },
    user: { status: "ACTIVE" },
    holds: task.open_holds > 0 ? [{ id: "h1", kind: "materials" }] : [],
    blockers: task.open_blockers > 0 ? [{ id: "t2", status: "x" }] : [],
  };
}
