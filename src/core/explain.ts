import { z } from "zod";
import { notFromHere, viewOf, whoRefusal } from "./decide.ts";
import type { Refusal } from "./decision.ts";
import type { Lifecycle, CompiledRule, Situation, View } from "./lifecycle.ts";
import { confinementRefusal, permissionOf, permissionRefusal } from "./permissions.ts";
import type { JsonObject } from "./task.ts";

/** Whether an actor may perform an action on a task now, with every reason against it. */
export type Explanation = {
  action: string;
  allowed: boolean;
  refusals: Omit<Refusal, "kind">[];
  /** JSON Schema of the payload. */
  input: JsonObject;
};

/** Explains every action of the lifecycle in this situation. Missing input does not count as a reason against an action. */
export function explain(
  lifecycle: Lifecycle,
  situation: Situation,
  { confined = false } = {},
): Explanation[] {
  return Object.keys(lifecycle.actions).map((action) => {
    const confinement = confinementRefusal(lifecycle, action, confined);
    const reasons = explainAction(lifecycle, situation, action);
    const refusals = confinement === null ? reasons : [reasonOf(confinement), ...reasons];
    return { action, allowed: refusals.length === 0, refusals, input: inputSchema(lifecycle, action) };
  });
}

/** Lists every reason against one action; empty if it is allowed. */
export function explainAction(
  lifecycle: Lifecycle,
  situation: Situation,
  action: string,
): Omit<Refusal, "kind">[] {
  return reasonsAgainst(lifecycle, situation, action).map(reasonOf);
}

function reasonOf({ code, detail, params }: Refusal): Omit<Refusal, "kind"> {
  return { code, detail, params };
}

/** Returns the JSON Schema of an action's payload, cached because a definition never changes. */
export function inputSchema(lifecycle: Lifecycle, action: string): JsonObject {
  const cached = SCHEMAS.get(lifecycle) ?? new Map<string, JsonObject>();
  SCHEMAS.set(lifecycle, cached);
  let schema = cached.get(action);
  if (!schema) {
    const input = lifecycle.actions[action]?.input ?? z.object({});
    cached.set(action, (schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" })));
  }
  return schema;
}

const SCHEMAS = new WeakMap<Lifecycle, Map<string, JsonObject>>();

function reasonsAgainst(lifecycle: Lifecycle, situation: Situation, action: string): Refusal[] {
  const { task, actor } = situation;
  const forbidden = permissionRefusal(lifecycle, actor, permissionOf(lifecycle, action));
  // The lease's holder knows its token, so a token that was not sent is not a reason against the action.
  const lease_token = task.lease !== null && task.lease.holder === actor.id ? task.lease.token : null;
  const view = viewOf(situation, {
    action,
    input: {},
    comment: null,
    expected_row_version: null,
    lease_token,
  });
  const rules = lifecycle.rules_by_action.get(action)?.get(task.status);
  const reasons = rules ? closestReasons(rules, view) : [notFromHere(lifecycle, view)];
  return forbidden ? [forbidden, ...reasons] : reasons;
}

/** Picks the rule that passes the most checks (the last one on a tie), as `decide` does, but returns all its reasons. */
function closestReasons(rules: readonly CompiledRule[], view: View): Refusal[] {
  let closest: Refusal[] = [];
  let furthest = -1;
  for (const rule of rules) {
    const { reasons, depth } = reasonsOfRule(rule, view);
    if (reasons.length === 0) return [];
    if (depth >= furthest) [closest, furthest] = [reasons, depth];
  }
  return closest;
}

function reasonsOfRule(rule: CompiledRule, view: View): { reasons: Refusal[]; depth: number } {
  const guards = [(watched: View) => whoRefusal(rule, watched) ?? true, ...rule.guards];
  const answers = guards.map((guard) => {
    const { watched, readInput } = watchInput(view);
    const answer = guard(watched);
    return answer === true || readInput() ? null : answer;
  });
  return {
    reasons: answers.filter((answer) => answer !== null),
    depth: answers.findIndex((answer) => answer !== null),
  };
}

/** Returns a view that records whether the input was read: the refusal of a guard that read it may depend on missing input. */
function watchInput(view: View): { watched: View; readInput: () => boolean } {
  let read = false;
  const input = new Proxy<JsonObject>(view.input, {
    get: (target, key) => {
      read = true;
      return Reflect.get(target, key) as unknown;
    },
    has: (target, key) => {
      read = true;
      return Reflect.has(target, key);
    },
  });
  return { watched: { ...view, input }, readInput: () => read };
}
