import type { Instant } from "../../core/index.ts";

const MINUTE_MS = 60_000;

/** A task with an estimate. */
export type EstimatedTask = {
  id: string;
  status: string;
  estimate_minutes: number | null;
  started_at: Instant | null;
};

/** An unfinished blocker of a task. */
export type OpenBlocker = { task_id: string; blocker: EstimatedTask };

export type Lateness = { state: "late" | "will_be_late"; ready_at: Instant };

/**
 * Returns whether an unfinished task is late, or will be: `ready_at` is the earliest moment at which it can be submitted if all
 * work goes on without a pause. Independent blockers are worked on at the same time, so only the longest chain counts.
 */
export function latenessOf(
  task: EstimatedTask & { due_at: Instant | null },
  blockers: (id: string) => readonly OpenBlocker[],
  now: Instant,
): Lateness | null {
  const { due_at, status } = task;
  if (due_at === null || status === "done" || status === "canceled") return null;
  const ready_at = now + chainMs(task, blockers, now);
  if (due_at <= now) return { state: "late", ready_at };
  return ready_at > due_at ? { state: "will_be_late", ready_at } : null;
}

/** Returns the work left on the longest chain that ends with a task. Each task is visited once, without recursion. */
function chainMs(
  last: EstimatedTask,
  blockers: (id: string) => readonly OpenBlocker[],
  now: Instant,
): number {
  const total = new Map<string, number>();
  const open: EstimatedTask[] = [last];
  const entered = new Set<string>();
  for (let task = open.at(-1); task !== undefined; task = open.at(-1)) {
    const before = blockers(task.id).map(({ blocker }) => blocker);
    if (!entered.has(task.id)) {
      entered.add(task.id);
      open.push(...before.filter(({ id }) => !entered.has(id)));
      continue;
    }
    open.pop();
    const waitMs = Math.max(0, ...before.map(({ id }) => total.get(id) ?? 0));
    total.set(task.id, waitMs + leftMs(task, now));
  }
  return total.get(last.id) ?? 0;
}

/** The rest of a task's estimate: all of it before the start, and nothing after the submission or without an estimate. */
function leftMs({ status, estimate_minutes, started_at }: EstimatedTask, now: Instant): number {
  const whole = (estimate_minutes ?? 0) * MINUTE_MS;
  if (status === "submitted") return 0;
  if (status !== "in_progress" || started_at === null) return whole;
  return Math.max(0, whole - Math.max(0, now - started_at));
}
