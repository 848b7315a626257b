import type { OutboxEntry } from "../../../console/index.ts";
import type { PlannerTask } from "./planner-calls.ts";

/** The parts of the lifecycle that decide which action can follow which. */
export type Definition = {
  actions: readonly { name: string }[];
  rules: readonly { action: string; from: readonly string[]; to: string | null }[];
};

/** The queue of the member: actions that wait, and actions that were carried out a moment ago. */
type Queue = { entries: readonly OutboxEntry[]; sent: readonly OutboxEntry[] };

/** A task as its owner sees it: with the actions that are tapped but not carried out yet. */
export type QueuedWork = {
  task: PlannerTask;
  /** The status and the version after the waiting actions. */
  status: PlannerTask["status"];
  row_version: number;
  waiting: readonly OutboxEntry[];
  /** The refused action, and those after it, which were not sent because of it. */
  refused: readonly OutboxEntry[];
};

/** Applies the queued actions to a task by the rules of the lifecycle. */
export function withQueue(task: PlannerTask, { entries, sent }: Queue, definition: Definition): QueuedWork {
  const own = entries.filter(({ task_id }) => task_id === task.id);
  const { waiting, refused } = splitQueue(own);
  let { status, row_version } = task;
  const done = sent.filter(({ task_id }) => task_id === task.id);
  for (const entry of [...done, ...waiting]) {
    // The data on the page include it already, or a change by somebody else, for which the server refuses it.
    if (entry.row_version < row_version) continue;
    if (!definition.actions.some(({ name }) => name === entry.action)) continue;
    const from = status;
    const rule = definition.rules.find((one) => one.action === entry.action && one.from.includes(from));
    status = (rule?.to ?? status) as PlannerTask["status"];
    row_version = entry.row_version + 1;
  }
  return { task, status, row_version, waiting, refused };
}

/** Divides the queue of one task at its first refusal. */
export function splitQueue(entries: readonly OutboxEntry[]): Pick<QueuedWork, "waiting" | "refused"> {
  const first = entries.findIndex(({ refusal }) => refusal !== null);
  return first < 0
    ? { waiting: entries, refused: [] }
    : { waiting: entries.slice(0, first), refused: entries.slice(first) };
}

/** Tasks of the pool that the member has taken, while the taking waits or was carried out a moment ago. */
export function takenFrom<T extends PlannerTask>(
  pool: readonly T[],
  held: readonly PlannerTask[],
  queue: Queue,
): T[] {
  const isHeld = new Set(held.map(({ id }) => id));
  const takings = [...queue.sent, ...queue.entries].filter(
    ({ action, refusal }) => action === "self_assign" && refusal === null,
  );
  // A taking of an older version is over: the task has returned to the pool since.
  return pool.filter(
    ({ id, row_version }) =>
      !isHeld.has(id) && takings.some((entry) => entry.task_id === id && entry.row_version >= row_version),
  );
}
