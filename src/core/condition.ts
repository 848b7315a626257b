import { refuse } from "./decision.ts";
import type { Condition, ConditionGuard, Guard, View } from "./lifecycle.ts";

/** Guards whose outcome depends on nothing but the modelled task, whatever their refusal reads; `check` trusts them. */
export const EXACT_GUARDS = new WeakSet<Guard>();

function meets(condition: Condition, { task, actor, settings }: View): boolean {
  if ("is" in condition) return task[condition.field] === condition.is;
  if ("is_not" in condition) return task.created_by !== actor.id;
  if ("null_or_in" in condition) {
    const value = task.data[condition.field.slice("data.".length)] ?? null;
    return value === null || actor.specializations.some((one) => one === value);
  }
  return Number(settings[condition.setting]) <= (actor.skill_level ?? 0);
}

export function isConditionGuard(declared: unknown): declared is ConditionGuard {
  return (
    typeof declared === "object" &&
    declared !== null &&
    "where" in declared &&
    "refusal" in declared &&
    typeof declared.refusal === "function"
  );
}

/** The function that a declared guard stands for. */
export function guardOf(declared: Guard | ConditionGuard): Guard {
  if (!isConditionGuard(declared)) return declared;
  const { where, refusal } = declared;
  const guard: Guard = (view) => meets(where, view) || refusal(view);
  if ("is" in where || "is_not" in where) EXACT_GUARDS.add(guard);
  return guard;
}

/** The guard of a condition that only the pool declares. */
export function guardOfPool(condition: Condition): Guard {
  return guardOf({
    where: condition,
    refusal: () => refuse("INVALID_TRANSITION", `The task is not free to take: ${worded(condition)}.`),
  });
}

export function isSameCondition(one: Condition, other: Condition): boolean {
  return JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
}

function worded(condition: Condition): string {
  if ("is" in condition) return `${condition.field} must be ${String(condition.is)}`;
  if ("is_not" in condition) return "the actor must not be its creator";
  return "null_or_in" in condition
    ? `${condition.field} must be one of the actor's specializations`
    : `it takes at least the skill level of the setting ${condition.setting}`;
}
