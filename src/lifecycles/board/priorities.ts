/** The names of the priorities, lowest first. */
export const PRIORITIES = ["low", "normal", "high", "critical"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The number of each priority. Claims take the highest number first; 0 is the default of all lifecycles. */
export const PRIORITY: Readonly<Record<Priority, number>> = { low: -1, normal: 0, high: 1, critical: 2 };

/** Returns the nearest name of a number, because the generic routes accept any number. */
export function priorityOf(number: number): Priority {
  return PRIORITIES[Math.min(Math.max(Math.round(number), -1), 2) + 1] ?? "normal";
}
