import type { Who } from "./lifecycle.ts";
import { fromOf, whoOf } from "./index-rules.ts";
import type { UnindexedLifecycle } from "./index-rules.ts";
import { isRecord, describeValue } from "./validate-shapes.ts";
import { didYouMean } from "./nearest.ts";
import { STANDARD_WHO } from "./standard.ts";
import { MAX_DURATION_MS, settingAt, UNIT_MS } from "./timers.ts";
import type { JsonObject } from "./task.ts";

const UNITS = Object.keys(UNIT_MS);
const MOMENTS = ["entered_at", "created_at", "updated_at", "heartbeat_at"];

/** Finds timers and leases with unknown names or invalid durations. */
export function* validateTimers(lifecycle: UnindexedLifecycle): Generator<string> {
  const defaults = defaultsOf(lifecycle);
  if (typeof defaults === "string") {
    yield defaults;
    return;
  }
  const actions = Object.keys(lifecycle.actions);
  for (const [status, spec] of Object.entries(lifecycle.statuses)) {
    const where = `status "${status}"`;
    for (const { action, since, after, waits_for_blockers } of spec.timers ?? []) {
      if (!actions.includes(action))
        yield `${where} has a timer for the unknown action "${action}"${didYouMean(action, actions)}`;
      if (!MOMENTS.includes(since))
        yield `${where} has a timer since the unknown moment "${since}"${didYouMean(since, MOMENTS)}`;
      yield* validateDuration(`${where} has a timer for "${action}" that`, after, defaults);
      if (waits_for_blockers !== undefined && typeof settingAt(defaults, waits_for_blockers) !== "boolean")
        yield `${where} has a timer that waits for blockers by "${waits_for_blockers}", which is not a boolean setting`;
    }
    if (spec.lease && lifecycle.lease === null)
      yield `${where} needs a lease, but the lifecycle has no "lease" with its duration`;
  }
  if (lifecycle.lease !== null) yield* validateDuration("the lease", lifecycle.lease.lasts, defaults);
}

/** Returns the default settings, or the mistake that prevents reading them. */
function defaultsOf({ settings }: UnindexedLifecycle): JsonObject | string {
  try {
    const parsed = settings.safeParse({});
    if (parsed.success) return parsed.data;
    const paths = parsed.error.issues.map((issue) => issue.path.join("."));
    return `the settings have no complete defaults (${paths.join(", ")})`;
  } catch (error) {
    // The schema contains a check that throws.
    return `the settings cannot be read: their schema throws ${String(error)}`;
  }
}

function* validateDuration(where: string, duration: unknown, settings: JsonObject): Generator<string> {
  const [first, second] = isRecord(duration) ? Object.entries(duration) : [];
  if (first === undefined) {
    yield `${where} has no duration; write { minutes: 5 } or { minutes: "a_setting" }`;
    return;
  }
  const [unit, amount] = first;
  if (second !== undefined) yield `${where} counts in ${unit} and in ${second[0]}: choose one unit`;
  if (!UNITS.includes(unit)) yield `${where} counts in the unknown unit "${unit}"${didYouMean(unit, UNITS)}`;
  if (typeof amount !== "string") {
    if (!isLength(amount)) yield `${where} counts ${describeValue(amount)} ${unit}, which is not a duration`;
    else if (isOverlong(unit, Number(amount)))
      yield `${where} counts ${describeValue(amount)} ${unit}, more than 100 years`;
    return;
  }
  const defaultAmount = settingAt(settings, amount);
  if (typeof defaultAmount !== "number")
    yield `${where} counts by "${amount}", which is not a numeric setting`;
  else if (!isLength(defaultAmount))
    yield `${where} counts by "${amount}", whose default ${defaultAmount} is not a duration`;
  else if (isOverlong(unit, defaultAmount))
    yield `${where} counts by "${amount}", whose default ${defaultAmount} is more than 100 years`;
}

function isOverlong(unit: string, amount: number): boolean {
  return UNITS.includes(unit) && amount * UNIT_MS[unit as keyof typeof UNIT_MS] > MAX_DURATION_MS;
}

function isLength(amount: unknown): boolean {
  return typeof amount === "number" && Number.isFinite(amount) && amount >= 0;
}

/** Finds actions of timers, `unblocks` and the pool that no rule from their status allows. */
export function* validateSystemActions(lifecycle: UnindexedLifecycle): Generator<string> {
  for (const [status, { timers = [], final }] of Object.entries(lifecycle.statuses)) {
    for (const { action } of timers) {
      const where = `status "${status}" has a timer for "${action}"`;
      if (final) yield `${where}, but it is final: timers do not run there`;
      else if (!isSystemAllowed(lifecycle, status, action))
        yield `${where}, but no rule from there is for the system`;
    }
  }
  const { unblocks, pool } = lifecycle;
  for (const key of ["action", "flag", "fail"] as const) {
    const action = unblocks?.[key];
    if (unblocks === null || action === undefined || isSystemAllowed(lifecycle, unblocks.from, action))
      continue;
    yield `unblocks performs "${action}" in "${unblocks.from}", but no rule of it from there is for the system`;
  }
  if (pool !== null && rulesOf(lifecycle, pool.from, pool.action).length === 0)
    yield `the pool takes tasks by "${pool.action}" from "${pool.from}", where no rule of it starts`;
}

// These never match the system. Whether a lifecycle's own who matches it is only known at run time.
const NEVER_THE_SYSTEM: ReadonlySet<Who | undefined> = new Set<Who>(
  Object.values(STANDARD_WHO).filter((who) => who !== STANDARD_WHO.system),
);

function isSystemAllowed(lifecycle: UnindexedLifecycle, status: string, action: string): boolean {
  return rulesOf(lifecycle, status, action).some((rule) =>
    whoOf(rule).some((name) => !NEVER_THE_SYSTEM.has(lifecycle.who[name])),
  );
}

function rulesOf({ rules }: UnindexedLifecycle, status: string, action: string) {
  return rules.filter((rule) => rule.action === action && fromOf(rule).includes(status));
}
