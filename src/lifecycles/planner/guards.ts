import type { z } from "zod";
import { refuse } from "../../core/index.ts";
import type { AnyInputOf, Guard, View, Who } from "../../core/index.ts";
import type { StandardFacts } from "../../core/index.ts";
import type { plannerActions, plannerData, plannerFacts, plannerSettings } from "./fields.ts";

export type PlannerData = z.output<typeof plannerData>;
export type PlannerView = View<
  string,
  PlannerData,
  z.output<typeof plannerSettings>,
  z.output<typeof plannerFacts> & StandardFacts,
  AnyInputOf<typeof plannerActions>
>;

export const plannerWho = {
  owner: {
    label: "its owner",
    test: ({ actor, task }) => actor.id !== null && actor.id === task.assigned_to,
    refusal: ({ task }) =>
      refuse("NOT_OWNER", `The owner is ${task.assigned_to ?? "nobody"}.`, { assigned_to: task.assigned_to }),
  },
  reviewer: {
    label: "lead or supervisor",
    test: ({ actor }) => actor.roles.includes("lead") || actor.roles.includes("supervisor"),
  },
  participant: {
    label: "its owner or a contributor",
    test: ({ actor, task }) =>
      actor.id !== null && (actor.id === task.assigned_to || task.data.contributors.includes(actor.id)),
  },
  leaver: {
    label: "the contributor himself",
    test: ({ actor, input }) => actor.id !== null && actor.id === input.member_id,
  },
} as const satisfies Record<string, Who<PlannerView>>;

export const plannerGuards = {
  nobody_assigned: ({ task }) =>
    task.assigned_to === null || refuse("INVALID_TRANSITION", `${task.assigned_to} owns the task.`),

  skill_to_take: ({ actor, settings }) =>
    skillOf(actor.skill_level, settings.min_skill_to_take, "take a task"),
  skill_to_self_check: ({ actor, settings }) =>
    skillOf(actor.skill_level, settings.self_check_min_skill, "approve your own task"),
  skill_to_invite: ({ actor, settings }) =>
    skillOf(actor.skill_level, settings.min_skill_to_invite, "invite or remove contributors"),

  trade_matches: ({ actor, task }) => tradeOf(actor.specializations, task.data.required_trade),
  target_trade_matches: ({ facts, task, input, settings }) => {
    if (input.override_trade && settings.allow_trade_override) return true;
    return tradeOf(facts.target?.specializations ?? [], task.data.required_trade);
  },

  wip_is_zero: ({ facts }) => freeOf(facts.work_of_actor, "You hold"),
  target_wip_is_zero: ({ facts, input }) =>
    freeOf(facts.target?.work ?? [], `${input.assign_to ?? "The target"} holds`),
  target_is_executor: ({ facts, input }) => {
    const { target } = facts;
    if (target?.active && target.roles.includes("executor")) return true;
    return notA("assign_to", input.assign_to, "an active executor");
  },
  target_is_active: ({ facts, input }) =>
    facts.target?.active === true || notA("member_id", input.member_id, "an active member"),

  is_contributor: ({ task, input }) =>
    task.data.contributors.includes(input.member_id ?? "") ||
    refuse("NOT_FOUND", `${input.member_id ?? "Nobody"} is no contributor of the task.`),
  joins_anew: ({ task, input }) =>
    !task.data.contributors.includes(input.member_id ?? "") ||
    notA("member_id", input.member_id, "somebody who is not a contributor yet"),

  resolution_of_fix: ({ task, input }) =>
    task.data.kind !== "fix" ||
    Boolean(input.resolution) ||
    refuse("RESOLUTION_REQUIRED", "A fix-task is submitted with `resolution`: say how it was fixed."),
  other_is_explained: ({ input }) =>
    input.reason !== "other" || Boolean(input.text) || notA("text", input.text, "an explanation of `other`"),

  shift_is_over: ({ facts, task }) =>
    facts.shift_of_owner?.over === true ||
    refuse("SHIFT_NOT_OVER", `${task.assigned_to ?? "The owner"} has no shift that has ended.`),

  hold_is_open: ({ facts, input }) =>
    (facts.holds ?? []).some((hold) => hold.id === input.hold_id) ||
    refuse("NOT_FOUND", `The task has no open hold ${input.hold_id ?? ""}.`),
  escalation_is_open: ({ facts, input }) =>
    facts.escalation?.open === true ||
    refuse("NOT_FOUND", `The task has no open escalation ${input.escalation_id ?? ""}.`),
  depends_on_it: ({ facts, input }) =>
    (facts.blockers ?? []).some((blocker) => blocker.id === input.blocker_id) ||
    refuse("NOT_FOUND", `The task does not wait for ${input.blocker_id ?? ""}.`),
} as const satisfies Record<string, Guard<PlannerView>>;

export function holdNotAllowed(status: string) {
  return refuse(
    "HOLD_NOT_ALLOWED",
    `No hold is placed on a task that is ${status}: assign or cancel it first.`,
    {
      status,
    },
  );
}

function skillOf(skill: number | null, least: number, what: string) {
  if ((skill ?? 0) >= least) return true;
  return refuse("SKILL_TOO_LOW", `To ${what} takes skill ${least}; yours is ${skill ?? "not set"}.`, {
    skill_level: skill,
    required: least,
  });
}

function tradeOf(trades: readonly string[], required: string | null) {
  if (required === null || trades.includes(required)) return true;
  return refuse("TRADE_MISMATCH", `The task is for the trade ${required}.`, { required_trade: required });
}

function freeOf(work: readonly { id: string; title: string; status: string }[], who: string) {
  const [held] = work;
  if (held === undefined) return true;
  return refuse("WIP_LIMIT", `${who} "${held.title}" (${held.id}, ${held.status}); one task at a time.`, {
    task_id: held.id,
    tasks: work,
  });
}

function notA(field: string, value: unknown, what: string) {
  const said = typeof value === "string" ? `"${value}" is not` : "is not";
  return refuse("VALIDATION_ERROR", `${field}: ${said} ${what}.`, {
    errors: [{ path: field, message: `must be ${what}` }],
  });
}
