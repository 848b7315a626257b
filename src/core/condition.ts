import { refuse } from "./decision.ts";
import type { Refusal } from "./decision.ts";
import type { Guard, View } from "./lifecycle.ts";

/**
 * A condition on a task that the pool's query applies in SQL and `meets` in TypeScript. `setting` is a setting of the task's
 * project; an actor without a skill level has level 0.
 */
export type Condition =
  | { field: "assigned_to"; is: null }
  | { field: "private"; is: false }
  | { field: "open_blockers" | "open_holds"; is: 0 }
  | { field: `data.${string}`; null_or_in: "actor.specializations" }
  | { setting: string; at_most: "actor.skill_level" };

/** A guard that is a condition: where it guards the pool's action, the pool offers only tasks that meet it. */
export type ConditionGuard<V = View> = { where: Condition; refusal: (view: V) => Refusal };

/** Guards whose outcome depends on nothing but the modelled task, whatever their refusal reads; `check` trusts them. */
export const EXACT_GUARDS = new WeakSet<Guard>();

export function meets(condition: Condition, { task, actor, settings }: View): boolean {
  if ("is" in condition) return task[condition.field] === condition.is;
  if ("null_or_in" in condition) {
    const value = task.data[condition.field.slice("data.".length)] ?? null;
    return value === null || actor.specializations.includes(String(value));
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
  if ("is" in where) EXACT_GUARDS.add(guard);
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
  return "null_or_in" in condition
    ? `${condition.field} must be one of the actor's specializations`
    : `it takes at least the skill level of the setting ${condition.setting}`;
}
