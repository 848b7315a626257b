import type { Command, Decision, Patch, SideEffect, Situation } from "../src/core/index.ts";
import { refuse } from "../src/core/index.ts";
import type { PlannerView } from "../src/lifecycles/planner/guards.ts";

type Seen = Omit<PlannerView, "input">;

/** The main rules of the planner as one would write them by hand: a switch, the same answers, no table. */
export function decideByHand(situation: Situation, command: Command): Decision {
  const { task, actor, facts, settings, now } = situation as unknown as Seen;
  if (command.expected_row_version !== null && command.expected_row_version !== task.row_version) {
    return refuse(
      "VERSION_CONFLICT",
      `You saw version ${command.expected_row_version}; the task is at ${task.row_version}.`,
      { expected_row_version: command.expected_row_version, row_version: task.row_version },
    );
  }
  switch (command.action) {
    case "self_assign": {
      if (task.status !== "available") break;
      const skill = actor.skill_level ?? 0;
      if (skill < settings.min_skill_to_take) {
        return refuse(
          "SKILL_TOO_LOW",
          `To take a task takes skill ${settings.min_skill_to_take}; yours is ${actor.skill_level ?? "not set"}.`,
          { skill_level: actor.skill_level, required: settings.min_skill_to_take },
        );
      }
      const trade = task.data.required_trade;
      if (trade !== null && !actor.specializations.includes(trade)) {
        return refuse("TRADE_MISMATCH", `The task is for the trade ${trade}.`, { required_trade: trade });
      }
      const held = facts.work_of_actor[0];
      if (held !== undefined) {
        return refuse(
          "WIP_LIMIT",
          `You hold "${held.title}" (${held.id}, ${held.status}); one task at a time.`,
          {
            task_id: held.id,
            tasks: facts.work_of_actor,
          },
        );
      }
      return moved(command, "available", "assigned", {
        assigned_to: actor.id,
        exclusive_key: `wip:${actor.id ?? ""}`,
        data: { assigned_by: null, assigned_at: now },
      });
    }
    case "start":
      if (task.status !== "assigned") break;
      if (actor.id !== task.assigned_to) return notOwner(task.assigned_to);
      return moved(command, "assigned", "in_progress", { data: { started_at: now } });
    case "submit":
      if (task.status !== "in_progress") break;
      if (actor.id !== task.assigned_to) return notOwner(task.assigned_to);
      return moved(command, "in_progress", "submitted", {
        exclusive_key: null,
        data: { submitted_at: now, resolution: command.input.resolution ?? null },
      });
    case "review_approve":
      if (task.status !== "submitted") break;
      if (actor.roles.includes("lead") || actor.roles.includes("supervisor")) {
        return moved(command, "submitted", "done", { data: { reviewed_by: actor.id, reviewed_at: now } });
      }
      return notOwner(task.assigned_to);
    case "recall_to_pool":
      if (task.status !== "assigned" && task.status !== "in_progress") break;
      if (task.open_blockers > 0 || task.open_holds > 0) break;
      return moved(command, task.status, "available", {
        assigned_to: null,
        exclusive_key: null,
        data: { assigned_by: null, assigned_at: null, contributors: [], reason: command.input.reason },
      });
    default:
  }
  const starts = STARTS[command.action] ?? [];
  return refuse(
    "INVALID_TRANSITION",
    `"${command.action}" starts from ${starts.join(", ")}; the task is ${task.status}.`,
    {
      status: task.status,
      starts_from: starts,
    },
  );
}

const STARTS: Record<string, string[]> = {
  self_assign: ["available"],
  start: ["assigned"],
  submit: ["in_progress"],
  review_approve: ["submitted"],
  recall_to_pool: ["assigned", "in_progress"],
};

const NO_EFFECTS: SideEffect[] = [];

function moved(command: Command, from: string, to: string, patch: Patch): Decision {
  return {
    kind: "moved",
    to,
    patch,
    timer: null,
    lease: "keep",
    effects: NO_EFFECTS,
    event: { type: command.action, action: command.action, from, to, comment: command.comment },
  };
}

function notOwner(owner: string | null): Decision {
  return refuse("NOT_OWNER", `The owner is ${owner ?? "nobody"}.`, { assigned_to: owner });
}
