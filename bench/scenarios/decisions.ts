import { deepStrictEqual } from "node:assert";
import { decide, SYSTEM } from "../../src/core/index.ts";
import type { Actor, Command, Decision, Situation, Task } from "../../src/core/index.ts";
import { planner } from "../../src/lifecycles/planner/lifecycle.ts";
import { decideByHand } from "./planner-by-hand.ts";
import { compare } from "../compare.ts";
import type { RunOptions } from "../compare.ts";
import type { Measurement } from "../contender.ts";
import type { Report } from "../report.ts";

const NOW = Date.UTC(2026, 0, 5);

/** Decisions per second on the planner, compared with a hand-written switch that implements the same rules. */
export function decisions(options: RunOptions): Promise<Report> {
  const cases = makeCases();
  for (const [situation, command] of cases) {
    deepStrictEqual(decide(planner, situation, command), decideByHand(situation, command));
  }
  const total = options.quick ? 200_000 : 1_000_000;
  // Keep the answers for a while, as a batch does: otherwise the compiler would optimize them away.
  const kept = new Array<Decision>(1024);
  const measure = (decideOne: (situation: Situation, command: Command) => Decision) => (): Measurement => {
    const started = process.hrtime.bigint();
    for (let i = 0; i < total; i++) {
      const [situation, command] = cases[i % cases.length] as (typeof cases)[number];
      kept[i % 1024] = decideOne(situation, command);
    }
    return { done: total, seconds: Number(process.hrtime.bigint() - started) / 1e9 };
  };
  return compare(options, {
    title: "Decisions on the planner",
    unit: "decisions/s",
    rounds: [15, 7],
    subject: "Pawl decide",
    entries: [
      { name: "a switch by hand", modes: [], measure: measure(decideByHand) },
      {
        name: "Pawl decide",
        modes: [],
        measure: measure((situation, command) => decide(planner, situation, command)),
      },
    ],
    aims: [{ atLeast: 0.5, of: ["a switch by hand"], rate: 1_000_000 }],
    notes: ["In memory, without a database. Both implement the same rules and give the same answers."],
  });
}

/** A realistic mix: every change of status, most of them valid, some late, by the wrong member or with an old version. */
function makeCases(): [Situation, Command][] {
  const executor = actor("e1", ["executor"], 5);
  const master = actor("e1", ["executor"], 9);
  const novice = actor("e2", ["executor"], 1);
  const lead = actor("l1", ["lead"], null);
  const facts = {
    work_of_actor: [],
    owner_key_taken: false,
    target: {
      id: "e1",
      active: true,
      works_here: true,
      roles: ["executor"],
      specializations: ["welder"],
      work: [],
    },
    shift_of_owner: { over: true },
  };
  const step = (
    who: Actor,
    status: string,
    action: string,
    more: Partial<Command> = {},
  ): [Situation, Command] => [
    { task: taskIn(status), actor: who, facts, settings: planner.settings.parse({}), now: NOW },
    { action, input: {}, comment: null, expected_row_version: 3, lease_token: null, ...more },
  ];
  const because = { input: { reason: "needed elsewhere" } };
  return [
    step(SYSTEM, "blocked", "unblock"),
    step(executor, "available", "self_assign"),
    step(lead, "available", "assign", { input: { assign_to: "e1", override_trade: false } }),
    step(executor, "assigned", "start"),
    step(executor, "in_progress", "submit"),
    step(lead, "submitted", "review_approve"),
    step(master, "submitted", "review_approve"),
    step(lead, "submitted", "review_reject", because),
    step(SYSTEM, "in_progress", "shift_release"),
    step(lead, "in_progress", "recall_to_pool", because),
    step(lead, "assigned", "cancel", because),
    step(lead, "submitted", "cancel", because),
    step(novice, "available", "self_assign"),
    step(novice, "assigned", "start"),
    step(executor, "done", "submit"),
    step(executor, "in_progress", "submit", { expected_row_version: 2 }),
  ];
}

function actor(id: string, roles: string[], skill_level: number | null): Actor {
  return { id, name: id, kind: "human", roles, skill_level, specializations: ["welder"], project_ids: null };
}

function taskIn(status: string): Task {
  const owned = status === "available" || status === "blocked" ? null : "e1";
  return {
    id: "0197a000-0000-7000-8000-000000000001",
    org_id: "main",
    project_id: "main",
    lifecycle: "planner",
    lifecycle_version: 1,
    status,
    row_version: 3,
    title: "Weld the frame",
    data: {
      kind: "work",
      required_trade: "welder",
      reason: null,
      contributors: [],
      open_escalations: 0,
      flags: [],
    },
    created_by: "l1",
    assigned_to: owned,
    private: false,
    priority: 0,
    attempt: 0,
    open_blockers: 0,
    open_holds: 0,
    due_at: null,
    due_action: null,
    available_at: null,
    exclusive_key: null,
    needs_attention: false,
    lease: null,
    created_at: NOW,
    updated_at: NOW,
    entered_at: NOW,
  };
}
