import type { Lifecycle } from "./lifecycle.ts";

/**
 * Returns the statuses that need a person: a timer moves tasks there, no timer moves them on, and it is neither an initial
 * status nor the pool's.
 */
export function stuckStatuses({ statuses, rules, creation, pool }: Lifecycle): string[] {
  const timed = new Set(
    Object.values(statuses).flatMap(({ timers = [] }) => timers.map(({ action }) => action)),
  );
  const targets = new Set(rules.filter(({ action }) => timed.has(action)).map(({ to }) => to));
  const begins = new Set([...creation.to.map(({ status }) => status), pool?.from]);
  return Object.entries(statuses)
    .filter(([name, { final, timers = [] }]) => targets.has(name) && !final && timers.length === 0)
    .map(([name]) => name)
    .filter((name) => !begins.has(name));
}
