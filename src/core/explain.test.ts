import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideRequest,
  member,
  NEVER_BEGUN,
  NOW,
  situationOf,
  SYSTEM,
  taskIn,
} from "../../test/support/situation.ts";
import { LIFECYCLES } from "../lifecycles/index.ts";
import { board } from "../lifecycles/board/lifecycle.ts";
import { code } from "../lifecycles/code/lifecycle.ts";
import { planner } from "../lifecycles/planner/lifecycle.ts";
import { explain } from "./explain.ts";
import type { Lifecycle, Situation } from "./lifecycle.ts";

function reasons(lifecycle: Lifecycle, situation: Situation, action: string) {
  const explanation = explain(lifecycle, situation).find((one) => one.action === action);
  return { allowed: explanation?.allowed, codes: explanation?.refusals.map((refusal) => refusal.code) };
}

describe("explain", () => {
  test("lists every reason, not only the first", () => {
    const novice = member("novice", ["executor"], { skill_level: 1, specializations: [] });
    const task = taskIn(planner, "available", {
      data: { required_trade: "welder", contributors: [], flags: [] },
    });
    const facts = {
      work_of_actor: [{ id: "t9", title: "Other", status: "assigned" }],
      dependents: [],
      history: NEVER_BEGUN,
    };
    expect(reasons(planner, situationOf(planner, task, novice, { facts }), "self_assign")).toEqual({
      allowed: false,
      codes: ["SKILL_TOO_LOW", "TRADE_MISMATCH", "WIP_LIMIT"],
    });
  });

  test("lists both the missing permission and the wrong status", () => {
    const situation = situationOf(board, taskIn(board, "DONE"), member("v", ["viewer"]));
    expect(reasons(board, situation, "start").codes).toEqual(["FORBIDDEN", "INVALID_TRANSITION"]);
  });

  test("lists the reasons of the rule that passes the most checks", () => {
    const owner = member("ann", ["executor"], { skill_level: 2 });
    const task = taskIn(planner, "submitted", {
      assigned_to: "ann",
      data: { contributors: [], flags: [], holds: [] },
    });
    expect(reasons(planner, situationOf(planner, task, owner), "review_approve").codes).toEqual([
      "SKILL_TOO_LOW",
    ]);
    const other = member("bob", ["executor"], { skill_level: 2 });
    expect(reasons(planner, situationOf(planner, task, other), "review_approve").codes).toEqual([
      "NOT_OWNER",
      "SKILL_TOO_LOW",
    ]);
  });

  test("does not count missing input as a reason", () => {
    const task = taskIn(planner, "available", {
      data: { required_trade: "welder", contributors: [], flags: [] },
    });
    const situation = situationOf(planner, task, member("lead", ["lead"]), {
      facts: { work_of_actor: [], target: null, dependents: [], history: NEVER_BEGUN },
    });
    expect(reasons(planner, situation, "assign").allowed).toBe(true);
    expect(reasons(planner, situation, "cancel").allowed).toBe(true);
  });

  test("allows only the holder of the lease to act, even without its token", () => {
    const lease = { token: "secret", holder: "w1", until: NOW, heartbeat_at: NOW };
    const task = taskIn(code, "in_progress", { lease, data: { max_attempts: 3 } });
    const of = (id: string) => reasons(code, situationOf(code, task, member(id, ["worker"])), "complete");
    expect(of("w1").allowed).toBe(true);
    expect(of("w2")).toEqual({ allowed: false, codes: ["LEASE_TOKEN_REQUIRED"] });
    expect(JSON.stringify(explain(code, situationOf(code, task, member("w2", ["worker"]))))).not.toContain(
      "secret",
    );
  });

  test("carries the JSON Schema of each input", () => {
    const situation = situationOf(planner, taskIn(planner, "done"), SYSTEM);
    const assign = explain(planner, situation).find((explanation) => explanation.action === "assign");
    expect(assign?.input).toMatchObject({
      type: "object",
      properties: { assign_to: { type: "string" } },
      required: ["assign_to"],
    });
  });
});

describe.each(LIFECYCLES)("explain and decide agree in $name", (lifecycle) => {
  test("decide refuses what explain does not allow, for one of the listed reasons", () => {
    const situations = fc.record({
      status: fc.constantFrom(...Object.keys(lifecycle.statuses)),
      roles: fc.constantFrom(["executor"], ["lead"], ["worker"], ["agent"], ["viewer"], ["system"]),
      assigned: fc.constantFrom(null, "me", "other"),
      mine: fc.boolean(),
      open_blockers: fc.nat({ max: 1 }),
      open_holds: fc.nat({ max: 1 }),
      attempt: fc.nat({ max: 4 }),
      skill_level: fc.integer({ min: 1, max: 10 }),
      private: fc.boolean(),
    });
    fc.assert(
      fc.property(situations, ({ status, roles, assigned, mine, skill_level, ...task }) => {
        const at = taskIn(lifecycle, status, {
          ...task,
          assigned_to: assigned,
          created_by: mine ? "me" : "other",
          lease: lifecycle.statuses[status]?.lease
            ? { token: "t", holder: mine ? "me" : "other", until: NOW, heartbeat_at: NOW }
            : null,
          data: {
            depends_on: [],
            holds: [],
            flags: [],
            kind: "work",
            required_trade: null,
            contributors: [],
            open_escalations: 0,
            max_attempts: 3,
            payload: null,
          },
        });
        const facts = {
          dependents: [],
          history: NEVER_BEGUN,
          deliverable_here: true,
          parent_here: true,
          work_of_actor: [],
          owner_key_taken: false,
          target: null,
          shift_of_owner: null,
          named_blocker: null,
          escalation: null,
          user: null,
        };
        const situation = situationOf(lifecycle, at, member("me", roles, { skill_level }), { facts });
        for (const { action, allowed, refusals } of explain(lifecycle, situation)) {
          if (allowed) continue;
          const decision = decideRequest(lifecycle, situation, {
            action,
            comment: "c",
            client_event_id: "k",
            expected_row_version: at.row_version,
            lease_token: mine ? "t" : null,
            payload: PAYLOAD,
          });
          if (decision.kind !== "refused")
            throw new Error(`${action} is not allowed by explain, but decide accepts it`);
          // If the action takes input or a lease token, decide may refuse that first.
          const asksMore = lifecycle.actions[action]?.input ?? lifecycle.lease_only_actions.has(action);
          if (!asksMore) expect(refusals.map(({ code }) => code)).toContain(decision.code);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** A value for every input field of every action. */
const PAYLOAD = {
  reason: "materials",
  assign_to: "x",
  member_id: "x",
  hold_id: "h",
  escalation_id: "e",
  blocker_id: "b",
  note: "n",
  kind: "materials",
  commit: "c",
  worktree: "w",
  branch: "b",
  recoverable: true,
  message_id: 1,
  telegram_file_id: "t",
  status: "done",
};
