import type { Lifecycle } from "./lifecycle.ts";

/**
 * The statuses in which somebody must step in: a timer brought the task there, no timer takes it away again, and it is not
 * where tasks begin or are taken from.
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
