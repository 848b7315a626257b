import { onWire } from "../../api/index.ts";
import { readClock, rowsByTask } from "../../plugin/index.ts";
import type { Tx } from "../../plugin/index.ts";
import type { Instant } from "../../core/index.ts";
import type { PlannerTask, PlannerTimedTask } from "./shapes.ts";
import { latenessOf } from "./lateness.ts";
import type { EstimatedTask, Lateness } from "./lateness.ts";
import { readOpenBlockers } from "./sql/read-open-blockers.ts";

/** Finds the tasks that are late or will be. It reads nothing if none has a due date. */
export async function findLateness(
  tx: Tx,
  org_id: string,
  tasks: readonly (EstimatedTask & { due_at: Instant | null })[],
): Promise<Map<string, Lateness>> {
  const due = tasks.filter(({ due_at }) => due_at !== null);
  if (due.length === 0) return new Map();
  const [rows, now] = await Promise.all([
    readOpenBlockers(
      tx,
      org_id,
      due.map(({ id }) => id),
    ),
    readClock(tx),
  ]);
  const byTask = rowsByTask(rows);
  const blockers = (id: string) => byTask(id).map((row) => ({ task_id: id, blocker: row }));
  return new Map(
    due.flatMap((task): [string, Lateness][] => {
      const lateness = latenessOf(task, blockers, now);
      return lateness === null ? [] : [[task.id, lateness]];
    }),
  );
}

/** Adds to tasks of an answer the warning that they are late or will be. */
export async function withLateness<Task extends PlannerTask>(
  tx: Tx,
  org_id: string,
  tasks: readonly Task[],
): Promise<(Task & Pick<PlannerTimedTask, "lateness">)[]> {
  const instant = (moment: string | null) => (moment === null ? null : Date.parse(moment));
  const found = await findLateness(
    tx,
    org_id,
    tasks.map(({ id, status, estimate_minutes, started_at, due_at }) => ({
      id,
      status,
      estimate_minutes,
      started_at: instant(started_at),
      due_at: instant(due_at),
    })),
  );
  return tasks.map((task) => {
    const lateness = found.get(task.id);
    if (!lateness) return task;
    return { ...task, lateness: { state: lateness.state, ready_at: onWire(lateness.ready_at) } };
  });
}
