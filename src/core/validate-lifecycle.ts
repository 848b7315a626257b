import type { Condition, Rule } from "./lifecycle.ts";
import { fromOf, timerFor, whoOf } from "./index-rules.ts";
import type { UnindexedLifecycle } from "./index-rules.ts";
import { validateShapes } from "./validate-shapes.ts";
import { validatePermissions } from "./validate-permissions.ts";
import { validateTimers, validateSystemActions } from "./validate-timers.ts";
import { didYouMean } from "./nearest.ts";

/** Lists every mistake that can be found without running a rule, each with the status, action or rule it is in. */
export function findMistakes(lifecycle: UnindexedLifecycle): string[] {
  // In stages: names can be resolved only if shapes are right, and the graph walked only if names resolve.
  for (const stage of [
    [validateShapes],
    [validateReferences, validatePermissions, validateTimers],
    [validateGraph, validateSystemActions],
  ]) {
    const mistakes = stage.flatMap((validate) => [...validate(lifecycle)]);
    if (mistakes.length > 0) return mistakes;
  }
  return [];
}

const OUTCOMES = ["moved", "touched", "absorbed"];

function* validateReferences(lifecycle: UnindexedLifecycle): Generator<string> {
  const statuses = Object.keys(lifecycle.statuses);
  if (!/^[a-z][a-z0-9-]*$/.test(lifecycle.name)) yield `the name "${lifecycle.name}" must be kebab-case`;
  if (!Number.isInteger(lifecycle.version) || lifecycle.version < 1)
    yield "the version must be a positive integer";
  if (statuses.length === 0) yield "it has no status";

  const actions = Object.keys(lifecycle.actions);
  const guards = [...Object.keys(lifecycle.guards), "due"];
  const facts = [...Object.keys(lifecycle.facts.shape), "blockers", "holds"];

  for (const [index, rule] of lifecycle.rules.entries()) yield* validateRule(lifecycle, rule, index);
  for (const [index, { status, guards: creationGuards }] of lifecycle.creation.to.entries()) {
    yield* unknown(`creation row ${index + 1}`, "status", status, statuses);
    for (const guard of creationGuards ?? [])
      yield* implementation(`creation row ${index + 1}`, "guard", guard, guards);
  }
  for (const [action, spec] of Object.entries(lifecycle.actions)) {
    for (const fact of spec.facts ?? []) yield* unknown(`action "${action}"`, "fact", fact, facts);
    for (const field of Object.keys(spec.required ?? {})) {
      yield* unknown(`action "${action}"`, "input field", field, Object.keys(spec.input?.shape ?? {}));
    }
  }
  for (const action of Object.keys(lifecycle.wrong_status_refusals))
    yield* unknown("wrong_status_refusals", "action", action, actions);
  for (const [where, named] of [
    ["the pool", lifecycle.pool],
    ["unblocks", lifecycle.unblocks],
  ] as const) {
    if (named === null) continue;
    yield* unknown(where, "status", named.from, statuses);
    yield* unknown(where, "action", named.action, actions);
  }
  for (const action of [lifecycle.unblocks?.flag, lifecycle.unblocks?.fail]) {
    if (action !== undefined) yield* unknown("unblocks", "action", action, actions);
  }
  yield* validatePool(lifecycle);
  yield* validateMapping("status", lifecycle.migrations.statuses, statuses);
  yield* validateMapping("action", lifecycle.migrations.actions, actions);
}

function* validateRule(lifecycle: UnindexedLifecycle, rule: Rule, index: number): Generator<string> {
  const where = ruleLabel(rule, index);
  const statuses = Object.keys(lifecycle.statuses);
  const guards = [...Object.keys(lifecycle.guards), "due"];
  if (fromOf(rule).length === 0) yield `${where} has no start: its "from" is empty`;
  if (whoOf(rule).length === 0) yield `${where} has no actor: its "who" is empty`;
  for (const from of fromOf(rule)) yield* unknown(where, "status", from, statuses);
  if (rule.to !== undefined) yield* unknown(where, "status", rule.to, statuses);
  yield* unknown(where, "action", rule.action, Object.keys(lifecycle.actions));
  for (const who of whoOf(rule)) yield* unknown(where, "who", who, Object.keys(lifecycle.who));
  for (const guard of rule.guards ?? []) yield* implementation(where, "guard", guard, guards);
  for (const effect of rule.effects ?? [])
    yield* implementation(where, "effect", effect, Object.keys(lifecycle.effects));
  if (rule.outcome !== undefined) yield* unknown(where, "outcome", rule.outcome, OUTCOMES);
  if (rule.to !== undefined && (rule.outcome === "touched" || rule.outcome === "absorbed")) {
    yield `${where} has the outcome "${rule.outcome}" and so cannot lead to "${rule.to}"`;
  }
  for (const from of rule.guards?.includes("due") ? fromOf(rule) : []) {
    if (!timerFor(lifecycle, from, rule.action))
      yield `${where} has the guard "due", but status "${from}" has no timer for it`;
  }
}

/** The only value that a condition can require of each field, because the pool's index contains only such tasks. */
const POOL_FIELDS: Record<string, null | false | 0> = {
  assigned_to: null,
  private: false,
  open_blockers: 0,
  open_holds: 0,
};

function* validatePool(lifecycle: UnindexedLifecycle): Generator<string> {
  const { pool, conditions, guards } = lifecycle;
  if ((pool?.where ?? []).filter((condition) => "null_or_in" in condition).length > 1)
    yield "the pool has more than one condition with null_or_in";
  for (const [index, condition] of (pool?.where ?? []).entries())
    yield* validateCondition(`condition ${index + 1} of the pool`, condition, lifecycle);
  for (const [name, condition] of conditions)
    yield* validateCondition(`the condition of guard "${name}"`, condition, lifecycle);
  if (pool?.filter != null)
    yield* unknown(
      "the pool's filter",
      "field",
      pool.filter,
      Object.keys(lifecycle.data.shape).map((field) => `data.${field}`),
    );
  for (const name of pool?.checked_on_claim ?? [])
    yield* unknown("the pool's checked_on_claim", "guard", name, Object.keys(guards));
}

function* validateCondition(
  where: string,
  condition: Condition,
  { data, settings }: UnindexedLifecycle,
): Generator<string> {
  if ("is" in condition) {
    yield* unknown(where, "field", condition.field, Object.keys(POOL_FIELDS));
    const only = POOL_FIELDS[condition.field];
    if (only !== undefined && only !== condition.is)
      yield `${where} can only require that ${condition.field} is ${String(only)}`;
  } else if ("is_not" in condition) {
    yield* unknown(where, "field", condition.field, ["created_by"]);
    yield* unknown(where, "value", condition.is_not, ["actor.id"]);
  } else if ("null_or_in" in condition) {
    const fields = Object.keys(data.shape).map((field) => `data.${field}`);
    yield* unknown(where, "field", condition.field, fields);
    yield* unknown(where, "list", condition.null_or_in, ["actor.specializations"]);
  } else if ("at_most" in condition) {
    yield* unknown(where, "setting", condition.setting, Object.keys(settings.shape));
    yield* unknown(where, "measure", condition.at_most, ["actor.skill_level"]);
  } else {
    yield `${where} has none of "is", "is_not", "null_or_in" and "at_most"`;
  }
}

/** Reports mapped names that still exist (their tasks would be moved at every start) and unknown targets. */
function* validateMapping(
  kind: string,
  mapping: Readonly<Record<string, string>>,
  known: readonly string[],
): Generator<string> {
  for (const [old, now] of Object.entries(mapping)) {
    if (known.includes(old)) yield `migrations map the ${kind} "${old}", which still exists`;
    if (!known.includes(now))
      yield `migrations map "${old}" to the unknown ${kind} "${now}"${didYouMean(now, known)}`;
  }
}

function* validateGraph(lifecycle: UnindexedLifecycle): Generator<string> {
  const { statuses, rules, creation } = lifecycle;
  for (const [index, rule] of rules.entries()) {
    for (const from of fromOf(rule)) {
      if (statuses[from]?.final && rule.to !== undefined && rule.to !== from) {
        yield `${ruleLabel(rule, index)} leaves the final status "${from}"`;
      }
    }
  }
  const used = new Set(rules.map((rule) => rule.action));
  for (const action of Object.keys(lifecycle.actions))
    if (!used.has(action)) yield `action "${action}" has no rule`;
  if (creation.to.length === 0) yield "creation has no initial status";

  const reached = new Set(creation.to.map(({ status }) => status));
  for (const status of reached) {
    for (const rule of rules)
      if (rule.to !== undefined && fromOf(rule).includes(status)) reached.add(rule.to);
  }
  for (const [status, spec] of Object.entries(statuses)) {
    if (!reached.has(status)) yield `status "${status}" can never be reached`;
    const leaves = rules.some(
      (rule) => fromOf(rule).includes(status) && rule.to !== undefined && rule.to !== status,
    );
    if (!spec.final && !leaves) yield `status "${status}" is not final and has no way out`;
    if (!spec.final && spec.success) yield `status "${status}" has "success" but is not final`;
  }
}

function unknown(where: string, kind: string, name: string, known: readonly string[]): string[] {
  return known.includes(name)
    ? []
    : [`${where} names the unknown ${kind} "${name}"${didYouMean(name, known)}`];
}

function implementation(where: string, kind: string, name: string, known: readonly string[]): string[] {
  return known.includes(name)
    ? []
    : [`${where} names the ${kind} "${name}", which has no implementation${didYouMean(name, known)}`];
}

export function ruleLabel(rule: Rule, index: number): string {
  const start = fromOf(rule).length === 0 ? "" : ` from ${fromOf(rule).join(", ")}`;
  const target = rule.to === undefined ? "" : ` to ${rule.to}`;
  return `rule ${index + 1} (${rule.action}${start}${target})`;
}
