import type { Who } from "./lifecycle.ts";
import { fromOf, whoOf } from "./index-rules.ts";
import type { Named } from "./index-rules.ts";
import { isRecord, spoken } from "./mistaken-parts.ts";
import { didYouMean } from "./nearest.ts";
import { STANDARD_WHO } from "./standard.ts";
import { MAX_DURATION_MS, settingAt, UNIT_MS } from "./timers.ts";
import type { JsonObject } from "./task.ts";

const UNITS = Object.keys(UNIT_MS);
const MOMENTS = ["entered_at", "created_at", "updated_at", "heartbeat_at"];

/** Timers and leases that name what is not there, or count by no length of time. */
export function* mistimed(lifecycle: Named): Generator<string> {
  const defaults = defaultsOf(lifecycle);
  if (typeof defaults === "string") {
    yield defaults;
    return;
  }
  const actions = Object.keys(lifecycle.actions);
  for (const [status, spec] of Object.entries(lifecycle.statuses)) {
    const where = `status "${status}"`;
    for (const { action, since, after } of spec.timers ?? []) {
      if (!actions.includes(action))
        yield `${where} has a timer for the unknown action "${action}"${didYouMean(action, actions)}`;
      if (!MOMENTS.includes(since))
        yield `${where} has a timer since the unknown moment "${since}"${didYouMean(since, MOMENTS)}`;
      yield* mismeasured(`${where} has a timer for "${action}" that`, after, defaults);
    }
    if (spec.lease && lifecycle.lease === null)
      yield `${where} is held under a lease, but "lease" does not say how long one lasts`;
  }
  if (lifecycle.lease !== null) yield* mismeasured("the lease", lifecycle.lease.lasts, defaults);
}

/** The settings of a project that set none, or the mistake that keeps them from being read. */
function defaultsOf({ settings }: Named): JsonObject | string {
  try {
    const parsed = settings.safeParse({});
    if (parsed.success) return parsed.data;
    const paths = parsed.error.issues.map((issue) => issue.path.join("."));
    return `the settings have no complete defaults (${paths.join(", ")})`;
  } catch (error) {
    // A check of the lifecycle's own inside the schema.
    return `the settings cannot be read: their schema throws ${String(error)}`;
  }
}

function* mismeasured(where: string, duration: unknown, settings: JsonObject): Generator<string> {
  const [first, second] = isRecord(duration) ? Object.entries(duration) : [];
  if (first === undefined) {
    yield `${where} does not say how long; write { minutes: 5 } or { minutes: "a_setting" }`;
    return;
  }
  const [unit, amount] = first;
  if (second !== undefined) yield `${where} counts in ${unit} and in ${second[0]}: choose one unit`;
  if (!UNITS.includes(unit)) yield `${where} counts in the unknown unit "${unit}"${didYouMean(unit, UNITS)}`;
  if (typeof amount !== "string") {
    if (!isLength(amount)) yield `${where} counts ${spoken(amount)} ${unit}, which is no length of time`;
    else if (isOverlong(unit, Number(amount)))
      yield `${where} counts ${spoken(amount)} ${unit}, more than 100 years`;
    return;
  }
  const byDefault = settingAt(settings, amount);
  if (typeof byDefault !== "number") yield `${where} counts by "${amount}", which is no numeric setting`;
  else if (!isLength(byDefault))
    yield `${where} counts by "${amount}", whose default ${byDefault} is no length of time`;
  else if (isOverlong(unit, byDefault))
    yield `${where} counts by "${amount}", whose default ${byDefault} is more than 100 years`;
}

function isOverlong(unit: string, amount: number): boolean {
  return UNITS.includes(unit) && amount * UNIT_MS[unit as keyof typeof UNIT_MS] > MAX_DURATION_MS;
}

function isLength(amount: unknown): boolean {
  return typeof amount === "number" && Number.isFinite(amount) && amount >= 0;
}

/** What a timer, a change of blockers or the pool will ask for, and no rule of the status lets them have. */
export function* unattended(lifecycle: Named): Generator<string> {
  for (const [status, { timers = [], final }] of Object.entries(lifecycle.statuses)) {
    for (const { action } of timers) {
      const where = `status "${status}" has a timer for "${action}"`;
      if (final) yield `${where}, but it is final: nothing happens there any more`;
      else if (!performs(lifecycle, status, action))
        yield `${where}, but no rule from there is for the system`;
    }
  }
  const { unblocks, pool } = lifecycle;
  for (const key of ["action", "flag", "fail"] as const) {
    const action = unblocks?.[key];
    if (unblocks === null || action === undefined || performs(lifecycle, unblocks.from, action)) continue;
    yield `unblocks performs "${action}" in "${unblocks.from}", but no rule of it from there is for the system`;
  }
  if (pool !== null && rulesOf(lifecycle, pool.from, pool.action).length === 0)
    yield `the pool takes tasks by "${pool.action}" from "${pool.from}", where no rule of it starts`;
}

// None of these is ever the system; what a who of the lifecycle's own stands for cannot be seen on paper.
const NEVER_THE_SYSTEM: ReadonlySet<Who | undefined> = new Set<Who>(
  Object.values(STANDARD_WHO).filter((who) => who !== STANDARD_WHO.system),
);

function performs(lifecycle: Named, status: string, action: string): boolean {
  return rulesOf(lifecycle, status, action).some((rule) =>
    whoOf(rule).some((name) => !NEVER_THE_SYSTEM.has(lifecycle.who[name])),
  );
}

function rulesOf({ rules }: Named, status: string, action: string) {
  return rules.filter((rule) => rule.action === action && fromOf(rule).includes(status));
}
