import type { Rule } from "./lifecycle.ts";
import { fromOf, timerFor, whoOf } from "./index-rules.ts";
import type { Named } from "./index-rules.ts";
import { didYouMean } from "./nearest.ts";
import { settingAt } from "./timers.ts";

/** Every mistake that can be seen on paper, each naming the status, action or rule it is in. */
export function findMistakes(lifecycle: Named): string[] {
  const named = [...misnamed(lifecycle)];
  // The graph is only worth walking once its names are right.
  return named.length > 0 ? named : [...misdrawn(lifecycle)];
}

function* misnamed(lifecycle: Named): Generator<string> {
  const statuses = Object.keys(lifecycle.statuses);
  if (!/^[a-z][a-z0-9-]*$/.test(lifecycle.name)) yield `the name "${lifecycle.name}" must be kebab-case`;
  if (!Number.isInteger(lifecycle.version) || lifecycle.version < 1)
    yield "the version must be a positive integer";
  if (statuses.length === 0) yield "it has no status";

  const unknown = (where: string, kind: string, name: string, known: readonly string[]) =>
    known.includes(name) ? [] : [`${where} names the unknown ${kind} "${name}"${didYouMean(name, known)}`];
  const actions = Object.keys(lifecycle.actions);
  const guards = [...Object.keys(lifecycle.guards), "due"];
  const whos = Object.keys(lifecycle.who);
  const effects = Object.keys(lifecycle.effects);
  const facts = [...Object.keys(lifecycle.facts.shape), "blockers", "holds"];

  for (const [index, rule] of lifecycle.rules.entries()) {
    const where = ruleLabel(rule, index);
    for (const from of fromOf(rule)) yield* unknown(where, "status", from, statuses);
    if (rule.to !== undefined) yield* unknown(where, "status", rule.to, statuses);
    yield* unknown(where, "action", rule.action, actions);
    for (const who of whoOf(rule)) yield* unknown(where, "who", who, whos);
    for (const guard of rule.guards ?? []) yield* implementation(where, "guard", guard, guards);
    for (const effect of rule.effects ?? []) yield* implementation(where, "effect", effect, effects);
    if (rule.to !== undefined && rule.outcome !== undefined && rule.outcome !== "moved") {
      yield `${where} is ${rule.outcome} and so cannot lead to "${rule.to}"`;
    }
  }
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
  for (const action of Object.keys(lifecycle.not_from_here))
    yield* unknown("not_from_here", "action", action, actions);
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
  yield* mismapped("status", lifecycle.migrations.statuses, statuses);
  yield* mismapped("action", lifecycle.migrations.actions, actions);
  yield* mistimed(lifecycle, actions);
}

/** A name that is still in use cannot be mapped away: its tasks would be moved at every start. */
function* mismapped(
  kind: string,
  mapping: Readonly<Record<string, string>>,
  known: readonly string[],
): Generator<string> {
  for (const [old, now] of Object.entries(mapping)) {
    if (known.includes(old)) yield `migrations map the ${kind} "${old}", which is still there`;
    if (!known.includes(now))
      yield `migrations map "${old}" to the unknown ${kind} "${now}"${didYouMean(now, known)}`;
  }
}

function implementation(where: string, kind: string, name: string, known: readonly string[]): string[] {
  return known.includes(name)
    ? []
    : [`${where} names the ${kind} "${name}", which has no implementation${didYouMean(name, known)}`];
}

function* mistimed(lifecycle: Named, actions: readonly string[]): Generator<string> {
  const defaults = lifecycle.settings.safeParse({});
  if (!defaults.success) {
    yield `the settings have no complete defaults (${defaults.error.issues.map((issue) => issue.path.join(".")).join(", ")})`;
    return;
  }
  const durations = Object.entries(lifecycle.statuses).flatMap(([status, spec]) =>
    (spec.timers ?? []).map((timer) => ({ where: `status "${status}"`, timer, after: timer.after })),
  );
  for (const { where, timer } of durations) {
    if (!actions.includes(timer.action)) {
      yield `${where} has a timer for the unknown action "${timer.action}"${didYouMean(timer.action, actions)}`;
    }
  }
  const lease = lifecycle.lease === null ? [] : [{ where: "the lease", after: lifecycle.lease.lasts }];
  for (const { where, after } of [...durations, ...lease]) {
    const amount: unknown = Object.values(after)[0];
    if (typeof amount === "string" && typeof settingAt(defaults.data, amount) !== "number") {
      yield `${where} counts by "${amount}", which is no numeric setting`;
    }
  }
  for (const [index, rule] of lifecycle.rules.entries()) {
    if (!rule.guards?.includes("due")) continue;
    for (const from of fromOf(rule)) {
      if (!timerFor(lifecycle, from, rule.action)) {
        yield `${ruleLabel(rule, index)} waits until it is due, but status "${from}" has no timer for it`;
      }
    }
  }
  const leasedStatuses = Object.keys(lifecycle.statuses).filter(
    (status) => lifecycle.statuses[status]?.lease,
  );
  if (leasedStatuses.length > 0 && lifecycle.lease === null) {
    yield `status "${leasedStatuses[0] ?? ""}" is held under a lease, but "lease" does not say how long one lasts`;
  }
}

function* misdrawn(lifecycle: Named): Generator<string> {
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
  if (creation.to.length === 0) yield "creation leads to no status";

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
  }
}

export function ruleLabel(rule: Rule, index: number): string {
  const target = rule.to === undefined ? "" : ` to ${rule.to}`;
  return `rule ${index + 1} (${rule.action} from ${fromOf(rule).join(", ")}${target})`;
}
