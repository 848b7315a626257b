import { refuse } from "./decision.ts";
import type { Duration, Guard, Lifecycle, Timer } from "./lifecycle.ts";
import type { DueTimer, Instant, JsonObject, Lease, Task } from "./task.ts";

export const UNIT_MS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

/** Maximum duration of a timer or a lease: 100 years, so that its end stays within the range of dates. */
export const MAX_DURATION_MS = 36_500 * UNIT_MS.days;

/** The fields of a task that timers read. */
type Clocked = Pick<
  Task,
  "entered_at" | "created_at" | "updated_at" | "needs_attention" | "open_blockers"
> & {
  lease: Pick<Lease, "heartbeat_at"> | null;
};

/** Returns the timer of a status that runs out first, or null if the status has none. */
export function nextTimer(timers: readonly Timer[], task: Clocked, settings: JsonObject): DueTimer | null {
  let next: DueTimer | null = null;
  for (const timer of timers) {
    const at = runsOutAt(timer, task, settings);
    if (at !== null && (next === null || at < next.due_at)) next = { due_at: at, due_action: timer.action };
  }
  return next;
}

/** Returns the timer that starts when a task no longer waits for its blockers; null if none has waited for them. */
export function timerAfterBlockers(
  timers: readonly Timer[],
  task: Task,
  settings: JsonObject,
  now: Instant,
): DueTimer | null {
  if (task.due_at !== null || !timers.some((timer) => timer.waits_for_blockers !== undefined)) return null;
  return nextTimer(timers, { ...task, open_blockers: 0, entered_at: now }, settings);
}

/**
 * Makes the guard `due` of one timer. It uses the stored time, because changed settings apply only to later timers; only
 * heartbeats, which come after the time was stored, make it compute the time again.
 */
export function dueGuard(timer: Timer): Guard {
  return ({ task, settings, now, action }) => {
    const stored = timer.since !== "heartbeat_at" && task.due_action === timer.action;
    const at = stored ? task.due_at : runsOutAt(timer, task, settings);
    if (at !== null && at <= now) return true;
    return refuse("NOT_DUE", `"${action}" is not due yet.`, { due_at: at });
  };
}

export function durationMs(duration: Duration, settings: JsonObject): number {
  const [unit, amount] = partsOf(duration);
  const given = typeof amount === "number" ? amount : (settingAt(settings, amount) as number);
  // Settings written directly to the database are not validated.
  return Math.min(MAX_DURATION_MS, UNIT_MS[unit] * given);
}

/** Lists the settings that exceed the maximum duration, each with its maximum in its own unit. */
export function* overlongSettings(
  { statuses, lease }: Pick<Lifecycle, "statuses" | "lease">,
  settings: JsonObject,
): Generator<{ setting: string; maximum: number }> {
  const durations = Object.values(statuses).flatMap(({ timers }) => (timers ?? []).map(({ after }) => after));
  if (lease) durations.push(lease.lasts);
  const named = new Map(durations.map(partsOf).map(([unit, amount]) => [amount, unit]));
  for (const [setting, unit] of named) {
    if (typeof setting !== "string") continue;
    const maximum = MAX_DURATION_MS / UNIT_MS[unit];
    if ((settingAt(settings, setting) as number) > maximum) yield { setting, maximum };
  }
}

function partsOf(duration: Duration): [keyof typeof UNIT_MS, number | string] {
  return Object.entries(duration)[0] as [keyof typeof UNIT_MS, number | string];
}

/** Returns a setting by its path, such as "status_deadlines.NEW". */
export function settingAt(settings: JsonObject, path: string): unknown {
  let value: unknown = settings;
  for (const key of path.split(".")) value = (value as JsonObject | undefined)?.[key];
  return value;
}

function runsOutAt(timer: Timer, task: Clocked, settings: JsonObject): Instant | null {
  if (timer.unless_attended && task.needs_attention) return null;
  const { waits_for_blockers } = timer;
  if (waits_for_blockers !== undefined && settingAt(settings, waits_for_blockers) === true) {
    if (task.open_blockers > 0) return null;
  }
  const since = timer.since === "heartbeat_at" ? task.lease?.heartbeat_at : task[timer.since];
  // Without a lease no heartbeat can come, so a timer that waits for one is due immediately.
  return since === undefined ? 0 : since + durationMs(timer.after, settings);
}
