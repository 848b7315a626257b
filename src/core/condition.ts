import { refuse } from "./decision.ts";
import type { Condition, ConditionGuard, Guard, View } from "./lifecycle.ts";

/** Guards whose outcome depends only on the modelled task, even if their refusal reads more; `check` trusts their answer. */
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

/** Turns a declared guard into a function. */
export function guardOf(declared: Guard | ConditionGuard): Guard {
  if (!isConditionGuard(declared)) return declared;
  const { where, refusal } = declared;
  const guard: Guard = (view) => meets(where, view) || refusal(view);
  if ("is" in where || "is_not" in where) EXACT_GUARDS.add(guard);
  return guard;
}

/** Makes a guard of a condition that only the pool declares. */
export function guardOfPool(condition: Condition): Guard {
  return guardOf({
    where: condition,
    refusal: () => refuse("INVALID_TRANSITION", `The task is not free to take: ${conditionText(condition)}.`),
  });
}

export function isSameCondition(one: Condition, other: Condition): boolean {
  return JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
}

function conditionText(condition: Condition): string {
  if ("is" in condition) return `${condition.field} must be ${String(condition.is)}`;
  if ("is_not" in condition) return "the actor must not be its creator";
  return "null_or_in" in condition
    ? `${condition.field} must be one of the actor's specializations`
    : `the actor needs at least the skill level in the setting ${condition.setting}`;
}
