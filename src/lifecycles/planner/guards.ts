import type { z } from "zod";
import { blockersDone, refuse } from "../../core/index.ts";
import type { Actor, AnyInputOf, ConditionGuard, Guard, StandardFacts, View, Who } from "../../core/index.ts";
import { END_OF_SHIFT } from "./flags.ts";
import type { PlannerData, plannerActions, plannerFacts, plannerSettings } from "./fields.ts";

export type PlannerView = View<
  string,
  PlannerData,
  z.output<typeof plannerSettings>,
  z.output<typeof plannerFacts> & StandardFacts,
  AnyInputOf<typeof plannerActions> & {
    fix_of_task_id?: string | null | undefined;
    defect_id?: string | null | undefined;
  }
>;

export const plannerWho = {
  pawl: { label: "Pawl itself", test: ({ actor }) => actor.id === null },
  owner: {
    label: "its owner",
    test: ({ actor, task }) => actor.id !== null && actor.id === task.assigned_to,
    refusal: ({ task }) =>
      refuse(
        "NOT_OWNER",
        task.assigned_to === null ? "The task has no owner." : `The owner is ${task.assigned_to}.`,
        { assigned_to: task.assigned_to },
      ),
  },
  reviewer: {
    label: "lead or supervisor",
    test: ({ actor }) => isLead(actor),
  },
  participant: {
    label: "its owner or a contributor",
    test: ({ actor, task }) =>
      actor.id !== null && (actor.id === task.assigned_to || task.data.contributors.includes(actor.id)),
  },
  leaver: {
    label: "the contributor",
    test: ({ actor, input }) => actor.id !== null && actor.id === input.member_id,
  },
} as const satisfies Record<string, Who<PlannerView>>;

export const plannerGuards = {
  // The planner has no rule that cancels a blocked task.
  blockers_done: blockersDone("remove that dependency, or delete this task"),
  has_no_owner: ({ task }) =>
    task.assigned_to === null || refuse("INVALID_TRANSITION", `${task.assigned_to} owns the task.`),

  skill_to_take: {
    where: { setting: "min_skill_to_take", at_most: "actor.skill_level" },
    refusal: ({ actor, settings }) =>
      skillTooLow(actor.skill_level, settings.min_skill_to_take, "take a task"),
  },
  skill_to_self_check: ({ actor, settings }) =>
    requireSkill(actor.skill_level, settings.self_check_min_skill, "approve your own task"),
  skill_to_invite: ({ actor, settings }) =>
    requireSkill(actor.skill_level, settings.min_skill_to_invite, "invite or remove contributors"),

  trade_matches: {
    where: { field: "data.required_trade", null_or_in: "actor.specializations" },
    refusal: ({ task }) => otherTrade(task.data.required_trade),
  },
  target_trade_matches: ({ facts, task, input, settings }) => {
    if (input.override_trade && settings.allow_trade_override) return true;
    return requireTrade(facts.target?.specializations ?? [], task.data.required_trade);
  },

  wip_is_zero: ({ facts }) => requireNoWork(facts.work_of_actor, "You hold"),
  target_wip_is_zero: ({ facts, input }) =>
    requireNoWork(facts.target?.work ?? [], `${input.assign_to ?? "The target"} holds`),
  target_is_executor: ({ facts, input }) => {
    const { target } = facts;
    if (target?.active && target.works_here && target.roles.includes("executor")) return true;
    return notA("assign_to", input.assign_to, "an active executor of the project");
  },
  target_is_active: ({ facts, input }) =>
    (facts.target?.active === true && facts.target.works_here) ||
    notA("member_id", input.member_id, "an active member of the project"),

  // These guards read the input last: if nothing can be removed, `explain` shows the refusal without any input.
  is_contributor: ({ task: { data }, input }) => {
    if (data.contributors.length === 0) return refuse("NOT_FOUND", "The task has no contributors.");
    if (data.contributors.includes(input.member_id ?? "")) return true;
    return refuse("NOT_FOUND", `${input.member_id ?? "The member"} is not a contributor of the task.`);
  },
  hold_is_open: ({ task: { data }, input }) => {
    if (data.holds.length === 0) return refuse("NOT_FOUND", "The task has no open hold.");
    if (data.holds.some((hold) => hold.id === input.hold_id)) return true;
    return refuse("NOT_FOUND", `The task has no open hold ${input.hold_id ?? ""}.`);
  },
  escalation_is_open: ({ task: { data }, facts, input }) => {
    if (data.open_escalations === 0) return refuse("NOT_FOUND", "The task has no open escalation.");
    if (facts.escalation?.open === true) return true;
    return refuse("NOT_FOUND", `The task has no open escalation ${input.escalation_id ?? ""}.`);
  },
  can_wait_for_it: ({ task: { data }, facts: { named_blocker }, input: { blocker_id = "" } }) => {
    if (named_blocker === null) return notA("blocker_id", blocker_id, "a task of the project");
    const { id, status, final, waits_for_this } = named_blocker;
    if (waits_for_this)
      return refuse(
        "CYCLIC_DEPENDENCY",
        `The task would wait for itself: ${id} is this task or waits for it.`,
        {
          blocker_id: id,
        },
      );
    if (final) return notA("blocker_id", id, `unfinished: the task is ${status}`);
    return !data.depends_on.includes(id) || notA("blocker_id", id, "new: the task already waits for it");
  },
  depends_on_it: ({ task: { data }, facts, input }) => {
    if (data.depends_on.length === 0) return refuse("NOT_FOUND", "The task waits for no other task.");
    if ((facts.blockers ?? []).some((blocker) => blocker.id === input.blocker_id)) return true;
    return refuse("NOT_FOUND", `The task does not wait for ${input.blocker_id ?? ""}.`);
  },
  joins_anew: ({ task, input }) =>
    (task.assigned_to !== input.member_id && !task.data.contributors.includes(input.member_id ?? "")) ||
    notA("member_id", input.member_id, "a member who is neither the owner nor a contributor"),

  resolution_of_fix: ({ task, input }) =>
    task.data.kind !== "fix" ||
    Boolean(input.resolution) ||
    refuse("RESOLUTION_REQUIRED", "A fix-task needs `resolution`: describe how it was fixed."),
  other_is_explained: ({ input }) =>
    input.reason !== "other" || Boolean(input.text) || notA("text", input.text, "an explanation of `other`"),

  shift_is_over: ({ facts, task }) =>
    facts.shift_of_owner?.over === true ||
    refuse(
      "SHIFT_NOT_OVER",
      `${task.assigned_to ?? "The owner"} has a running shift, or no shift that ended after the assignment.`,
    ),

  flagged_before: ({ task, input }) =>
    task.data.flags.some(({ about }) => about === (input.blocker_id ?? END_OF_SHIFT)) ||
    refuse("INVALID_TRANSITION", "The task has no flag about this."),

  deliverable_is_here: ({ facts, input }) =>
    facts.deliverable_here || notA("deliverable_id", input.deliverable_id, "a deliverable of the project"),
  parent_is_here: ({ facts, input }) =>
    facts.parent_here ||
    notA("parent_task_id", input.parent_task_id, "a task of the project that is not below this one"),
  // Only a lead creates a fix-task: for submitted or finished work, and for a defect without another fix-task.
  fix_is_asked_for: ({ actor, input }) =>
    input.fix_of_task_id == null ||
    isLead(actor) ||
    refuse("FORBIDDEN", "Only leads and supervisors have the permission task.fix.", {
      roles: actor.roles,
      permission: "task.fix",
    }),
  fix_has_an_original: ({ facts: { original }, input: { fix_of_task_id } }) => {
    if (fix_of_task_id == null) return true;
    if (original === null) return refuse("TASK_NOT_FOUND", `There is no task ${fix_of_task_id}.`);
    const { status } = original;
    if (status === "submitted" || status === "done") return true;
    return refuse("FIX_NOT_ALLOWED", `The task is ${status}; only submitted or finished work can be fixed.`, {
      status,
    });
  },
  defect_is_free: ({ facts: { defect }, input: { defect_id } }) => {
    if (defect_id == null) return true;
    if (defect === null) return refuse("NOT_FOUND", `The task has no defect ${defect_id}.`);
    if (defect.is_free) return true;
    return refuse("FIX_NOT_ALLOWED", `The defect ${defect_id} already has a fix-task.`, { defect_id });
  },
  never_owned: ({ facts: { history }, task: { status } }) => {
    const reasons = DELETION_OBSTACLES.filter(([obstacle]) => history[obstacle]).map(([, reason]) => reason);
    if (reasons.length === 0) return true;
    const next = status === "available" ? "cancel it instead" : "it stays on record";
    return refuse("DELETE_NOT_ALLOWED", `The task cannot be deleted: it ${listed(reasons)}; ${next}.`, {
      status,
      ...history,
    });
  },
  no_dependents: ({ facts }) => {
    const { dependents } = facts;
    if (dependents.length === 0) return true;
    const named = dependents.map(({ id, title }) => `"${title}" (${id})`).join(", ");
    return refuse("DELETE_NOT_ALLOWED", `Other tasks depend on it or are parts of it: ${named}.`, {
      tasks: dependents,
    });
  },
} as const satisfies Record<string, Guard<PlannerView> | ConditionGuard<PlannerView>>;

const DELETION_OBSTACLES = [
  ["owned", "was owned"],
  ["has_defect", "has a defect"],
  ["has_fix", "has a fix-task"],
  ["has_escalation", "has an escalation"],
] as const;

/** "a", "a and b", "a, b and c". */
function listed(parts: readonly string[]): string {
  const [last = "", ...before] = [...parts].reverse();
  return before.length === 0 ? last : `${before.reverse().join(", ")} and ${last}`;
}

function isLead({ roles }: Pick<Actor, "roles">): boolean {
  return roles.includes("lead") || roles.includes("supervisor");
}

export function holdNotAllowed(status: string) {
  const next = status === "available" ? "assign or cancel it first" : "no work is left to hold";
  return refuse("HOLD_NOT_ALLOWED", `A task that is ${status} cannot be put on hold: ${next}.`, { status });
}

export function deleteNotAllowed({ status, assigned_to }: { status: string; assigned_to: string | null }) {
  const next = ["done", "canceled"].includes(status) ? "it stays on record" : "cancel it instead";
  return refuse("DELETE_NOT_ALLOWED", `A task that is ${status} cannot be deleted: ${next}.`, {
    status,
    assigned_to,
  });
}

function requireSkill(skill: number | null, least: number, what: string) {
  return (skill ?? 0) >= least || skillTooLow(skill, least, what);
}

function skillTooLow(skill: number | null, least: number, what: string) {
  return refuse("SKILL_TOO_LOW", `To ${what}, you need skill ${least}; yours is ${skill ?? "not set"}.`, {
    skill_level: skill,
    required: least,
  });
}

function requireTrade(trades: readonly string[], required: string | null) {
  return required === null || trades.includes(required) || otherTrade(required);
}

function otherTrade(required: string | null) {
  return refuse("TRADE_MISMATCH", `The task is for the trade ${required ?? ""}.`, {
    required_trade: required,
  });
}

function requireNoWork(work: readonly { id: string; title: string; status: string }[], who: string) {
  const [held] = work;
  if (held === undefined) return true;
  return refuse("WIP_LIMIT", `${who} "${held.title}" (${held.id}, ${held.status}); one task at a time.`, {
    task_id: held.id,
    tasks: work,
  });
}

function notA(field: string, value: unknown, what: string) {
  const subject = typeof value === "string" ? `"${value}" is not` : "is not";
  return refuse("VALIDATION_ERROR", `${field}: ${subject} ${what}.`, {
    errors: [{ path: field, message: `must be ${what}` }],
  });
}
