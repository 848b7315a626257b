/** From the least urgent up. */
export const PRIORITIES = ["low", "normal", "high", "critical"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Tasks are taken by number, the highest first; `normal` is what every task has that says nothing. */
export const PRIORITY: Readonly<Record<Priority, number>> = { low: -1, normal: 0, high: 1, critical: 2 };

/** The nearest name of a number: through the generic door a task may have any. */
export function priorityOf(number: number): Priority {
  return PRIORITIES[Math.min(Math.max(Math.round(number), -1), 2) + 1] ?? "normal";
}
