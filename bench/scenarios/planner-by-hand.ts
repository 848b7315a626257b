import type { Command, Decision, JsonObject, Patch, SideEffect, Situation } from "../../src/core/index.ts";
import { refuse } from "../../src/core/index.ts";
import type { PlannerView } from "../../src/lifecycles/planner/guards.ts";

type Seen = Omit<PlannerView, "input">;
type Input = PlannerView["input"];

/** The planner's rules written by hand as a switch, with the same answers. */
export function decideByHand(situation: Situation, command: Command): Decision {
  const { task, actor, facts, settings, now } = situation as unknown as Seen;
  const input = command.input as Input;
  if (command.expected_row_version !== null && command.expected_row_version !== task.row_version) {
    return refuse(
      "VERSION_CONFLICT",
      `You saw version ${command.expected_row_version}; the task is at ${task.row_version}.`,
      { expected_row_version: command.expected_row_version, row_version: task.row_version },
    );
  }
  const { status } = task;
  switch (command.action) {
    case "unblock":
      if (status !== "blocked") break;
      if (task.assigned_to !== null)
        return refuse("INVALID_TRANSITION", `${task.assigned_to} owns the task.`);
      return notReady(situation) ?? moved(command, status, "available", {});
    case "self_assign": {
      if (status !== "available") break;
      const unskilled = skill(actor.skill_level, settings.min_skill_to_take, "take a task");
      if (unskilled) return unskilled;
      const trade = task.data.required_trade;
      if (trade !== null && !actor.specializations.includes(trade)) return wrongTrade(trade);
      return (
        busy(facts.work_of_actor, "You hold") ??
        moved(command, status, "assigned", owned(actor.id, null, now))
      );
    }
    case "assign": {
      if (status !== "available") break;
      const { target } = facts;
      if (!target?.active || !target.works_here || !target.roles.includes("executor")) {
        return refuse(
          "VALIDATION_ERROR",
          `assign_to: "${input.assign_to ?? ""}" is not an active executor of the project.`,
          {
            errors: [{ path: "assign_to", message: "must be an active executor of the project" }],
          },
        );
      }
      const occupied = busy(target.work, `${input.assign_to ?? "The target"} holds`);
      if (occupied) return occupied;
      const trade = task.data.required_trade;
      const overridden = input.override_trade && settings.allow_trade_override;
      if (!overridden && trade !== null && !target.specializations.includes(trade)) return wrongTrade(trade);
      return moved(command, status, "assigned", owned(input.assign_to ?? null, actor.id, now));
    }
    case "start":
      if (status !== "assigned") break;
      if (actor.id !== task.assigned_to) return notOwner(task.assigned_to);
      return moved(command, status, "in_progress", { data: { started_at: now } });
    case "submit":
      if (status !== "in_progress") break;
      if (actor.id !== task.assigned_to) return notOwner(task.assigned_to);
      if (task.data.kind === "fix" && !input.resolution) {
        return refuse(
          "RESOLUTION_REQUIRED",
          "A fix-task is submitted with `resolution`: say how it was fixed.",
        );
      }
      return moved(
        command,
        status,
        "submitted",
        unflagged(task.data, {
          exclusive_key: null,
          data: { submitted_at: now, resolution: input.resolution ?? null },
        }),
      );
    case "review_approve": {
      if (status !== "submitted") break;
      const effects = task.data.kind === "fix" ? [closedDefect(situation)] : NO_EFFECTS;
      if (actor.roles.includes("lead") || actor.roles.includes("supervisor")) {
        return moved(command, status, "done", { data: { reviewed_by: actor.id, reviewed_at: now } }, effects);
      }
      if (actor.id !== task.assigned_to) return notOwner(task.assigned_to);
      const unskilled = skill(actor.skill_level, settings.self_check_min_skill, "approve your own task");
      return (
        unskilled ??
        moved(command, status, "done", { data: { self_checked: true, reviewed_at: now } }, effects)
      );
    }
    case "review_reject": {
      if (status !== "submitted") break;
      const patch: Patch = { data: { reason: input.reason ?? null } };
      if (task.assigned_to !== null && !facts.owner_key_taken) {
        patch.exclusive_key = `wip:${task.assigned_to}`;
      }
      const { defect, create_fix } = input;
      const effect = create_fix
        ? { kind: "create_fix", defect }
        : { kind: "record_defect", defect, of: task.id };
      return moved(command, status, "in_progress", patch, defect ? [effect] : NO_EFFECTS);
    }
    case "shift_release":
      if (status !== "assigned" && status !== "in_progress") break;
      if (!facts.shift_of_owner?.over) {
        return refuse("SHIFT_NOT_OVER", `${task.assigned_to ?? "The owner"} has no shift that has ended.`);
      }
      return notReady(situation) ?? moved(command, status, "available", disowned(task.data, input));
    case "recall_to_pool":
      if (status !== "assigned" && status !== "in_progress") break;
      return notReady(situation) ?? moved(command, status, "available", disowned(task.data, input));
    case "cancel":
      if (status === "submitted")
        return moved(command, status, "canceled", { data: { reason: input.reason ?? null } });
      if (status !== "available" && status !== "assigned" && status !== "in_progress") break;
      return moved(command, status, "canceled", disowned(task.data, input));
    default:
  }
  const starts = STARTS[command.action] ?? [];
  return refuse(
    "INVALID_TRANSITION",
    `"${command.action}" starts from ${starts.join(", ")}; the task is ${status}.`,
    {
      status,
      starts_from: starts,
    },
  );
}

const STARTS: Record<string, string[]> = {
  unblock: ["blocked"],
  self_assign: ["available"],
  assign: ["available"],
  start: ["assigned"],
  submit: ["in_progress"],
  review_approve: ["submitted"],
  review_reject: ["submitted"],
  shift_release: ["assigned", "in_progress"],
  recall_to_pool: ["assigned", "in_progress"],
  cancel: ["available", "assigned", "in_progress", "submitted"],
};
const NO_EFFECTS: SideEffect[] = [];

function moved(command: Command, from: string, to: string, patch: Patch, effects = NO_EFFECTS): Decision {
  return {
    kind: "moved",
    to,
    patch,
    timer: null,
    lease: "keep",
    effects,
    event: { type: command.action, action: command.action, from, to, comment: command.comment },
  };
}

function owned(owner: string | null, by: string | null, now: number): Patch {
  return {
    assigned_to: owner,
    exclusive_key: `wip:${owner ?? ""}`,
    data: { assigned_by: by, assigned_at: now },
  };
}

function disowned(before: Seen["task"]["data"], { reason }: Input): Patch {
  const data: JsonObject = {
    assigned_by: null,
    assigned_at: null,
    contributors: [],
    started_at: null,
    submitted_at: null,
    resolution: null,
    reason: reason ?? before.reason,
  };
  return unflagged(before, { assigned_to: null, exclusive_key: null, data });
}

/** Removes the flags that asked for attention because a shift was over. */
function unflagged({ flags, open_escalations }: Seen["task"]["data"], patch: Patch): Patch {
  if (!flags.some(({ about }) => about === "shift")) return patch;
  const left = flags.filter(({ about }) => about !== "shift");
  patch.needs_attention = open_escalations > 0 || left.length > 0;
  patch.data = { ...patch.data, flags: left };
  return patch;
}

function closedDefect({ task, now }: Situation): SideEffect {
  const { data, assigned_to } = task;
  return {
    kind: "close_defect",
    how_fixed: data.resolution,
    fixed_by: assigned_to,
    fixed_at: now,
  };
}

function notReady({ task }: Situation): Decision | null {
  if (task.open_blockers > 0) {
    return refuse("UNRESOLVED_BLOCKERS", `It waits for ${task.open_blockers} open.`, {
      open_blockers: task.open_blockers,
      blockers: [],
    });
  }
  if (task.open_holds > 0) {
    return refuse("OPEN_HOLDS", `The task is on hold (${task.open_holds} open).`, {
      open_holds: task.open_holds,
      holds: [],
    });
  }
  return null;
}

function skill(level: number | null, least: number, what: string): Decision | null {
  if ((level ?? 0) >= least) return null;
  return refuse("SKILL_TOO_LOW", `To ${what}, you need skill ${least}; yours is ${level ?? "not set"}.`, {
    skill_level: level,
    required: least,
  });
}

function busy(work: readonly { id: string; title: string; status: string }[], who: string): Decision | null {
  const held = work[0];
  if (held === undefined) return null;
  return refuse("WIP_LIMIT", `${who} "${held.title}" (${held.id}, ${held.status}); one task at a time.`, {
    task_id: held.id,
    tasks: work,
  });
}

function wrongTrade(trade: string): Decision {
  return refuse("TRADE_MISMATCH", `The task is for the trade ${trade}.`, { required_trade: trade });
}

function notOwner(owner: string | null): Decision {
  return refuse("NOT_OWNER", `The owner is ${owner ?? "nobody"}.`, { assigned_to: owner });
}
