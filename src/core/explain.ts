import { z } from "zod";
import { notFromHere, viewOf, whoRefusal } from "./decide.ts";
import type { Refusal } from "./decision.ts";
import type { Lifecycle, ReadyRule, Situation, View } from "./lifecycle.ts";
import { permissionOf, permissionRefusal } from "./permissions.ts";
import type { JsonObject } from "./task.ts";

/** What an actor may do with a task now: allowed, or every reason why not. */
export type Explanation = {
  action: string;
  allowed: boolean;
  refusals: Omit<Refusal, "kind">[];
  /** JSON Schema of the payload. */
  input: JsonObject;
};

/** Runs every action of the lifecycle in this situation. Input that is still to be given is no refusal. */
export function explain(lifecycle: Lifecycle, situation: Situation): Explanation[] {
  return Object.keys(lifecycle.actions).map((action) => {
    const refusals = explainAction(lifecycle, situation, action);
    return { action, allowed: refusals.length === 0, refusals, input: inputSchema(lifecycle, action) };
  });
}

/** Every reason against one action; none: it may be done. */
export function explainAction(
  lifecycle: Lifecycle,
  situation: Situation,
  action: string,
): Omit<Refusal, "kind">[] {
  return reasonsAgainst(lifecycle, situation, action).map(({ code, detail, params }) => ({
    code,
    detail,
    params,
  }));
}

/** The JSON Schema of an action's payload; made once, since a definition never changes. */
export function inputSchema(lifecycle: Lifecycle, action: string): JsonObject {
  const made = SCHEMAS.get(lifecycle) ?? new Map<string, JsonObject>();
  SCHEMAS.set(lifecycle, made);
  let schema = made.get(action);
  if (!schema) {
    const input = lifecycle.actions[action]?.input ?? z.object({});
    made.set(action, (schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" })));
  }
  return schema;
}

const SCHEMAS = new WeakMap<Lifecycle, Map<string, JsonObject>>();

function reasonsAgainst(lifecycle: Lifecycle, situation: Situation, action: string): Refusal[] {
  const { task, actor } = situation;
  const forbidden = permissionRefusal(lifecycle, actor, permissionOf(lifecycle, action));
  // A lease's worker has its token in his pocket; that he has not shown it yet is no reason.
  const lease_token = task.lease !== null && task.lease.holder === actor.id ? task.lease.token : null;
  const view = viewOf(situation, {
    action,
    input: {},
    comment: null,
    expected_row_version: null,
    lease_token,
  });
  const rules = lifecycle.table.get(action)?.get(task.status);
  const reasons = rules ? closestReasons(rules, view) : [notFromHere(lifecycle, view)];
  return forbidden ? [forbidden, ...reasons] : reasons;
}

/** Of several rules the one that comes furthest speaks (of equals, the last), as in `decide`; but it tells all it has. */
function closestReasons(rules: readonly ReadyRule[], view: View): Refusal[] {
  let closest: Refusal[] = [];
  let furthest = -1;
  for (const rule of rules) {
    const { reasons, depth } = objections(rule, view);
    if (reasons.length === 0) return [];
    if (depth >= furthest) [closest, furthest] = [reasons, depth];
  }
  return closest;
}

function objections(rule: ReadyRule, view: View): { reasons: Refusal[]; depth: number } {
  const questions = [(seen: View) => whoRefusal(rule, seen) ?? true, ...rule.guards];
  const answers = questions.map((ask) => {
    const { seen, readInput } = watchInput(view);
    const answer = ask(seen);
    return answer === true || readInput() ? null : answer;
  });
  return {
    reasons: answers.filter((answer) => answer !== null),
    depth: answers.findIndex((answer) => answer !== null),
  };
}

/** A view that remembers whether the input was looked at: a guard that did may change its mind once it is given. */
function watchInput(view: View): { seen: View; readInput: () => boolean } {
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
  return { seen: { ...view, input }, readInput: () => read };
}
