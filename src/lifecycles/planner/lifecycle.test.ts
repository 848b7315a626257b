import { describe, expect, test } from "vitest";
import { decideCreation, draftOf } from "../../core/index.ts";
import type { Actor, JsonObject, Request, Task } from "../../core/index.ts";
import { testLifecycle } from "../../../test/support/lifecycle-grid.ts";
import {
  decideRequest,
  member,
  NEVER_BEGUN,
  NOW,
  situationOf,
  SYSTEM,
  taskIn,
  outcomeOf,
} from "../../../test/support/situation.ts";
import { planner } from "./lifecycle.ts";

const skilled = { skill_level: 5, specializations: ["welder"] };
const ACTORS: Record<string, Actor> = {
  owner: member("owner", ["executor"], skilled),
  executor: member("executor", ["executor"], skilled),
  contributor: member("contributor", ["executor"], skilled),
  lead: member("lead", ["lead"]),
  supervisor: member("supervisor", ["supervisor"]),
  robot: member("robot", ["system"], { kind: "service" }),
  admin: member("admin", ["admin"]),
  viewer: member("viewer", ["viewer"]),
  system: SYSTEM,
};

/** A valid payload for each action. */
const PAYLOAD: Record<string, JsonObject> = {
  assign: { assign_to: "executor" },
  review_reject: { reason: "crooked" },
  recall_to_pool: { reason: "needed elsewhere" },
  cancel: { reason: "no longer needed" },
  escalate: { reason: "materials" },
  update: { title: "Another title" },
  place_hold: { kind: "materials", reason: "no steel" },
  release_hold: { hold_id: "h1" },
  add_contributor: { member_id: "executor" },
  remove_contributor: { member_id: "contributor" },
  resolve_escalation: { escalation_id: "e1", note: "brought it" },
  add_dependency: { blocker_id: "b2" },
  remove_dependency: { blocker_id: "b1" },
  flag: { reason: "its predecessor was canceled" },
};

const GOOD_FACTS = {
  work_of_actor: [],
  owner_key_taken: false,
  target: {
    id: "executor",
    active: true,
    roles: ["executor"],
    specializations: ["welder"],
    works_here: true,
    work: [],
  },
  named_blocker: { id: "b2", status: "available", final: false, waits_for_this: false },
  fresh_id: "h2",
  deliverable_here: true,
  parent_here: true,
  dependents: [],
  history: NEVER_BEGUN,
  shift_of_owner: { over: true },
  escalation: { id: "e1", open: true },
  blockers: [{ id: "b1", status: "canceled", final: true }],
};

const BACK = { id: "b2", status: "blocked", final: false, waits_for_this: true };
const OWNED = { ...NEVER_BEGUN, owned: true };

// "owner" owns the task, if it has an owner; all guards pass.
const GRID = `
action             | setup | who                                                    | blocked   | available        | assigned    | in_progress | submitted   | done | canceled
unblock            |       | lead, supervisor, robot, system                        | available | .                | .           | .           | .           | .    | .
unblock            |       | owner, executor, contributor                           | x         | x                | x           | x           | x           | x    | x
self_assign        |       | owner, executor, contributor                           | .         | assigned         | .           | .           | .           | .    | .
self_assign        |       | lead, supervisor, robot                                | x         | x                | x           | x           | x           | x    | x
self_assign        |       | system                                                 | .         | x                | .           | .           | .           | .    | .
assign             |       | lead, supervisor                                       | .         | assigned         | .           | .           | .           | .    | .
assign             |       | owner, executor, contributor, robot                    | x         | x                | x           | x           | x           | x    | x
assign             |       | system                                                 | .         | x                | .           | .           | .           | .    | .
start              |       | owner                                                  | .         | .                | in_progress | .           | .           | .    | .
start              |       | executor, contributor, system                          | .         | .                | NOT_OWNER   | .           | .           | .    | .
start, submit      |       | lead, supervisor, robot                                | x         | x                | x           | x           | x           | x    | x
submit             |       | owner                                                  | .         | .                | .           | submitted   | .           | .    | .
submit             |       | executor, contributor, system                          | .         | .                | .           | NOT_OWNER   | .           | .    | .
review_approve     |       | lead, supervisor                                       | .         | .                | .           | .           | done        | .    | .
review_approve     |       | owner                                                  | .         | .                | .           | .           | SKILL_TOO_LOW | .  | .
review_approve     |       | executor, contributor, system                          | .         | .                | .           | .           | NOT_OWNER   | .    | .
review_approve     |       | robot                                                  | x         | x                | x           | x           | x           | x    | x
review_reject      |       | lead, supervisor                                       | .         | .                | .           | .           | in_progress | .    | .
review_reject      |       | system                                                 | .         | .                | .           | .           | x           | .    | .
review_reject, recall_to_pool, cancel | | owner, executor, contributor, robot               | x         | x                | x           | x           | x           | x    | x
recall_to_pool     |       | lead, supervisor                                       | .         | .                | available   | available   | .           | .    | .
recall_to_pool     |       | system                                                 | .         | .                | x           | x           | .           | .    | .
shift_release      |       | robot, system                                          | .         | .                | available   | available   | .           | .    | .
shift_release      |       | owner, executor, contributor, lead, supervisor         | x         | x                | x           | x           | x           | x    | x
escalate           |       | owner                                                  | x         | x                | =           | =           | =           | .    | .
escalate           |       | contributor                                            | =         | =                | =           | =           | =           | .    | .
escalate           |       | executor, lead, supervisor, system                     | x         | x                | x           | x           | x           | .    | .
escalate           |       | robot                                                  | x         | x                | x           | x           | x           | x    | x
cancel             |       | lead, supervisor                                       | .         | canceled         | canceled    | canceled    | canceled    | .    | .
cancel             |       | system                                                 | .         | x                | x           | x           | x           | .    | .
update             |       | lead, supervisor, robot                                | =         | =                | =           | =           | =           | .    | .
update             |       | system                                                 | x         | x                | x           | x           | x           | .    | .
update             |       | owner, executor, contributor                           | x         | x                | x           | x           | x           | x    | x
delete             |       | lead, supervisor                                       | =         | =                | DELETE_NOT_ALLOWED | DELETE_NOT_ALLOWED | DELETE_NOT_ALLOWED | DELETE_NOT_ALLOWED | DELETE_NOT_ALLOWED
delete             |       | system                                                 | x         | x                | DELETE_NOT_ALLOWED | DELETE_NOT_ALLOWED | DELETE_NOT_ALLOWED | DELETE_NOT_ALLOWED | DELETE_NOT_ALLOWED
delete             |       | owner, executor, contributor, robot                    | x         | x                | x           | x           | x           | x    | x
place_hold         |       | lead, supervisor, robot                                | =         | HOLD_NOT_ALLOWED | =           | =           | HOLD_NOT_ALLOWED | HOLD_NOT_ALLOWED | HOLD_NOT_ALLOWED
place_hold         |       | system                                                 | x         | HOLD_NOT_ALLOWED | x           | x           | HOLD_NOT_ALLOWED | HOLD_NOT_ALLOWED | HOLD_NOT_ALLOWED
release_hold       |       | lead, supervisor, robot                                | =         | .                | =           | =           | =           | .    | .
release_hold       |       | system                                                 | x         | .                | x           | x           | x           | .    | .
place_hold, release_hold | | owner, executor, contributor                           | x         | x                | x           | x           | x           | x    | x
add_contributor    |       | lead, supervisor                                       | .         | .                | =           | =           | =           | .    | .
add_contributor    |       | owner                                                  | .         | .                | SKILL_TOO_LOW | SKILL_TOO_LOW | SKILL_TOO_LOW | . | .
add_contributor    |       | executor, contributor, system                          | .         | .                | NOT_OWNER   | NOT_OWNER   | NOT_OWNER   | .    | .
remove_contributor |       | lead, supervisor, contributor                          | .         | .                | =           | =           | =           | .    | .
remove_contributor |       | owner                                                  | .         | .                | SKILL_TOO_LOW | SKILL_TOO_LOW | SKILL_TOO_LOW | . | .
remove_contributor |       | executor, system                                       | .         | .                | NOT_OWNER   | NOT_OWNER   | NOT_OWNER   | .    | .
add_contributor, remove_contributor | | robot                                         | x         | x                | x           | x           | x           | x    | x
resolve_escalation |       | lead, supervisor                                       | =         | =                | =           | =           | =           | =    | =
add_dependency, remove_dependency | | lead, supervisor                                       | =         | .                | .           | .           | .           | .    | .
add_dependency, remove_dependency | | system                                                 | x         | .                | .           | .           | .           | .    | .
resolve_escalation |       | system                                                 | x         | x                | x           | x           | x           | x    | x
resolve_escalation, add_dependency, remove_dependency | | owner, executor, contributor, robot           | x         | x                | x           | x           | x           | x    | x
flag               |       | system                                                 | =         | =                | =           | =           | =           | .    | .
flag               |       | owner, executor, contributor, lead, supervisor, robot  | x         | x                | x           | x           | x           | x    | x
*                  |       | viewer, admin                                          | x         | x                | x           | x           | x           | x    | x
`;

type Twist = {
  task?: Partial<Task>;
  data?: JsonObject;
  facts?: JsonObject;
  settings?: JsonObject;
  request?: Partial<Request>;
};

function decided(status: string, action: string, who: string | Actor, twist: Twist = {}) {
  const actor = typeof who === "string" ? ACTORS[who] : who;
  if (!actor) throw new Error(`unknown actor ${JSON.stringify(who)}`);
  const owned = ["assigned", "in_progress", "submitted", "done"].includes(status);
  const task = taskIn(planner, status, {
    assigned_to: owned ? "owner" : null,
    exclusive_key: status === "assigned" || status === "in_progress" ? "wip:owner" : null,
    data: {
      kind: "work",
      required_trade: "welder",
      contributors: ["contributor"],
      open_escalations: 1,
      depends_on: ["b1"],
      holds: [{ id: "h1", kind: "materials", reason: "no steel", placed_by: "lead", placed_at: NOW }],
      flags: [],
      ...twist.data,
    },
    ...twist.task,
  });
  const facts = { ...GOOD_FACTS, ...twist.facts };
  return decideRequest(
    planner,
    situationOf(planner, task, actor, { facts, settings: twist.settings ?? {} }),
    {
      action,
      payload: PAYLOAD[action],
      client_event_id: "k1",
      expected_row_version: 7,
      ...twist.request,
    },
  );
}

const busy = [{ id: "t9", title: "The other one", status: "in_progress" }];
const skillOf = (skill_level: number) => member("owner", ["executor"], { ...skilled, skill_level });

testLifecycle({
  lifecycle: planner,
  actors: ACTORS,
  grid: GRID,
  decide: ({ status, action, actor }) => decided(status, action, actor),
});

describe("each guard of the planner, if only it fails", () => {
  const blocked = { task: { open_blockers: 1 } };
  const held = { task: { open_holds: 1 } };
  const target = (change: JsonObject) => ({ facts: { target: { ...GOOD_FACTS.target, ...change } } });
  test.each<[string, string, string | Actor, Twist, string]>([
    ["blocked", "unblock", "system", blocked, "UNRESOLVED_BLOCKERS"],
    ["blocked", "unblock", "lead", held, "OPEN_HOLDS"],
    ["available", "self_assign", skillOf(2), {}, "SKILL_TOO_LOW"],
    ["available", "self_assign", "executor", { data: { required_trade: "painter" } }, "TRADE_MISMATCH"],
    ["available", "self_assign", "executor", { facts: { work_of_actor: busy } }, "WIP_LIMIT"],
    ["available", "assign", "lead", target({ active: false }), "VALIDATION_ERROR"],
    ["available", "assign", "lead", target({ roles: ["lead"] }), "VALIDATION_ERROR"],
    ["available", "assign", "lead", { facts: { target: null } }, "VALIDATION_ERROR"],
    ["available", "assign", "lead", target({ work: busy }), "WIP_LIMIT"],
    ["available", "assign", "lead", target({ specializations: ["painter"] }), "TRADE_MISMATCH"],
    ["in_progress", "submit", "owner", { data: { kind: "fix" } }, "RESOLUTION_REQUIRED"],
    ["submitted", "review_approve", skillOf(7), {}, "SKILL_TOO_LOW"],
    ["assigned", "shift_release", "system", { facts: { shift_of_owner: { over: false } } }, "SHIFT_NOT_OVER"],
    ["assigned", "shift_release", "robot", { facts: { shift_of_owner: null } }, "SHIFT_NOT_OVER"],
    ["in_progress", "shift_release", "system", held, "OPEN_HOLDS"],
    ["in_progress", "shift_release", "system", blocked, "UNRESOLVED_BLOCKERS"],
    ["in_progress", "recall_to_pool", "lead", held, "OPEN_HOLDS"],
    ["assigned", "recall_to_pool", "lead", blocked, "UNRESOLVED_BLOCKERS"],
    ["assigned", "add_contributor", skillOf(6), {}, "SKILL_TOO_LOW"],
    ["assigned", "add_contributor", "lead", target({ active: false }), "VALIDATION_ERROR"],
    [
      "assigned",
      "add_contributor",
      "lead",
      { request: { payload: { member_id: "contributor" } } },
      "VALIDATION_ERROR",
    ],
    [
      "assigned",
      "remove_contributor",
      "executor",
      { request: { payload: { member_id: "executor" } } },
      "NOT_FOUND",
    ],
    ["assigned", "remove_contributor", "lead", { data: { contributors: [] } }, "NOT_FOUND"],
    ["assigned", "add_contributor", "lead", target({ works_here: false }), "VALIDATION_ERROR"],
    ["available", "assign", "lead", target({ works_here: false }), "VALIDATION_ERROR"],
    ["available", "update", "lead", { facts: { deliverable_here: false } }, "VALIDATION_ERROR"],
    ["available", "update", "lead", { facts: { parent_here: false } }, "VALIDATION_ERROR"],
    [
      "blocked",
      "delete",
      "lead",
      { facts: { dependents: [{ id: "t", title: "Next" }] } },
      "DELETE_NOT_ALLOWED",
    ],
    ["available", "delete", "lead", { facts: { history: OWNED } }, "DELETE_NOT_ALLOWED"],
    ["assigned", "release_hold", "lead", { data: { holds: [] } }, "NOT_FOUND"],
    ["assigned", "resolve_escalation", "lead", { facts: { escalation: null } }, "NOT_FOUND"],
    ["blocked", "remove_dependency", "lead", { facts: { blockers: [] } }, "NOT_FOUND"],
    ["blocked", "add_dependency", "lead", { facts: { named_blocker: null } }, "VALIDATION_ERROR"],
    ["blocked", "add_dependency", "lead", { facts: { named_blocker: BACK } }, "CYCLIC_DEPENDENCY"],
    ["in_progress", "escalate", "owner", { request: { payload: { reason: "other" } } }, "VALIDATION_ERROR"],
  ])("%s --%s--> is refused (%#)", (status, action, actor, twist, code) => {
    expect(decided(status, action, actor, twist)).toMatchObject({ kind: "refused", code });
  });

  test.each(["recall_to_pool", "cancel", "review_reject", "escalate", "flag"])(
    "%s needs a reason",
    (action) => {
      const who = action === "escalate" ? "owner" : action === "flag" ? "system" : "lead";
      for (const payload of [{}, { reason: "  " }, { reason: null }]) {
        expect(decided("in_progress", action, who, { request: { payload } })).toMatchObject({
          code: "REASON_REQUIRED",
        });
      }
    },
  );

  test("a trade is overridden only if the policy allows it and the request asks for it", () => {
    const wrongTrade = target({ specializations: [] });
    const override = { payload: { assign_to: "executor", override_trade: true } };
    const allowed = { allow_trade_override: true };
    const outcome = (twist: Twist) =>
      outcomeOf(decided("available", "assign", "lead", { ...wrongTrade, ...twist }), "available");
    expect(outcome({ request: override })).toBe("TRADE_MISMATCH");
    expect(outcome({ settings: allowed })).toBe("TRADE_MISMATCH");
    expect(outcome({ request: override, settings: allowed })).toBe("assigned");
  });

  test("WIP_LIMIT names the task that the member already has", () => {
    expect(decided("available", "self_assign", "executor", { facts: { work_of_actor: busy } })).toMatchObject(
      {
        detail: 'You hold "The other one" (t9, in_progress); one task at a time.',
        params: { task_id: "t9" },
      },
    );
  });
});

describe("fields that commands of the planner require", () => {
  const versionFree = [
    "escalate",
    "place_hold",
    "release_hold",
    "add_contributor",
    "remove_contributor",
    "resolve_escalation",
    "add_dependency",
    "remove_dependency",
    "flag",
  ];
  test.each(Object.keys(planner.actions))("%s: client_event_id and expected_row_version", (action) => {
    const actor = { ...member("all", ["executor", "lead", "system"]), skill_level: 9 };
    const without = (field: string) => decided("available", action, actor, { request: { [field]: null } });
    const missing = (field: string) => ({
      code: "VALIDATION_ERROR",
      params: { errors: [{ path: field, message: "required" }] },
    });
    if (action !== "flag") expect(without("client_event_id")).toMatchObject(missing("client_event_id"));
    if (versionFree.includes(action))
      expect(without("expected_row_version")).not.toMatchObject(missing("expected_row_version"));
    else expect(without("expected_row_version")).toMatchObject(missing("expected_row_version"));
  });

  test("a stale version is refused before the status is checked", () => {
    expect(decided("done", "start", "owner", { request: { expected_row_version: 6 } })).toMatchObject({
      code: "VERSION_CONFLICT",
      params: { expected_row_version: 6, row_version: 7 },
    });
  });

  test.each(["qc_approve", "qc_anything"])("%s points to inspections", (action) => {
    expect(decided("submitted", action, "lead")).toMatchObject({ code: "QC_ACTION_FORBIDDEN" });
  });
});

describe("effects of the planner", () => {
  const patchOf = (...args: Parameters<typeof decided>) => {
    const decision = decided(...args);
    if (decision.kind !== "moved") throw new Error(`not moved: ${JSON.stringify(decision)}`);
    return decision;
  };

  test("self_assign and assign set the owner, the assigner and the exclusive key", () => {
    expect(patchOf("available", "self_assign", "executor").patch).toMatchObject({
      assigned_to: "executor",
      exclusive_key: "wip:executor",
      data: { assigned_by: null, assigned_at: NOW },
    });
    expect(patchOf("available", "assign", "lead").patch).toMatchObject({
      assigned_to: "executor",
      exclusive_key: "wip:executor",
      data: { assigned_by: "lead", assigned_at: NOW },
    });
  });

  test("submitting frees the owner's exclusive key but keeps the owner on record", () => {
    const { patch } = patchOf("in_progress", "submit", "owner");
    expect(patch).toMatchObject({ exclusive_key: null, data: { submitted_at: NOW } });
    expect("assigned_to" in patch).toBe(false);
  });

  test("a rejected task goes back to its owner, with the key only if it is free", () => {
    expect(patchOf("submitted", "review_reject", "lead").patch).toMatchObject({ exclusive_key: "wip:owner" });
    const { patch } = patchOf("submitted", "review_reject", "lead", { facts: { owner_key_taken: true } });
    expect("exclusive_key" in patch).toBe(false);
  });

  test("a lead who owns the task approves as lead; an owner with enough skill self-checks", () => {
    const both = member("owner", ["executor", "lead"], { skill_level: 9 });
    expect(patchOf("submitted", "review_approve", both).patch.data).toEqual({
      reviewed_by: "owner",
      reviewed_at: NOW,
    });
    expect(patchOf("submitted", "review_approve", skillOf(8)).patch.data).toEqual({
      self_checked: true,
      reviewed_at: NOW,
    });
  });

  test.each([
    ["assigned", "shift_release", "system"],
    ["in_progress", "recall_to_pool", "lead"],
    ["in_progress", "cancel", "lead"],
  ])("%s --%s--> clears owner, key and contributors", (status, action, actor) => {
    expect(patchOf(status, action, actor).patch).toMatchObject({
      assigned_to: null,
      exclusive_key: null,
      data: { contributors: [] },
    });
  });

  test("canceling a submitted task keeps the owner on record", () => {
    expect("assigned_to" in patchOf("submitted", "cancel", "lead").patch).toBe(false);
  });

  test("a rejection can record a defect and create a fix-task; a fix-task without a defect is refused", () => {
    const defect = { description: "crack", severity: "critical" };
    const request = (payload: JsonObject) => ({ request: { payload: { reason: "bad", ...payload } } });
    expect(
      patchOf("submitted", "review_reject", "lead", request({ defect, create_fix: true })).effects,
    ).toMatchObject([{ kind: "create_fix", defect: { description: "crack", severity: "critical" } }]);
    expect(patchOf("submitted", "review_reject", "lead", request({ defect })).effects).toMatchObject([
      { kind: "record_defect", defect: { description: "crack", severity: "critical" } },
    ]);
    expect(decided("submitted", "review_reject", "lead", request({ create_fix: true }))).toMatchObject({
      code: "VALIDATION_ERROR",
    });
  });

  test("approving a fix-task closes its defect with the resolution", () => {
    const data = { kind: "fix", resolution: "welded again" };
    expect(patchOf("submitted", "review_approve", "lead", { data }).effects).toMatchObject([
      { kind: "close_defect", how_fixed: "welded again", fixed_by: "owner", fixed_at: NOW },
    ]);
  });

  test("resolving the last escalation clears needs_attention, an earlier one does not", () => {
    const attention = (open_escalations: number) =>
      patchOf("in_progress", "resolve_escalation", "lead", { data: { open_escalations } }).patch
        .needs_attention;
    expect(attention(1)).toBe(false);
    expect(attention(2)).toBe(true);
  });

  test("an update changes the given fields, clears those given as null, and leaves the rest", () => {
    const payload = { title: "New", required_trade: null };
    const { patch } = patchOf("available", "update", "lead", { request: { payload } });
    expect(patch).toMatchObject({ title: "New", data: { required_trade: null } });
    expect(Object.keys(patch.data ?? {})).toEqual(["required_trade"]);
    expect("priority" in patch).toBe(false);
  });
});

test.each([
  [0, "available"],
  [2, "blocked"],
])("a new task with %i open blockers is %s", (open_blockers, status) => {
  const input = planner.creation.input.parse({ title: "Weld" });
  const view = {
    input,
    actor: member("lead", ["lead"]),
    settings: planner.settings.parse({}),
    facts: { blocker_ids: [], deliverable_here: true, parent_here: true, original: null, defect: null },
    now: NOW,
  };
  const place = { id: "1", org_id: "main", project_id: "main", open_blockers };
  expect(decideCreation(planner, view, draftOf(planner, view), place)).toMatchObject({ task: { status } });
});
