import type { Command, Instant, JsonObject, Lease, Lifecycle, Task } from "../core/index.ts";
import { column } from "./columns.ts";
import type { Move } from "./work.ts";

/** A row of pawl.task as the driver reads it; moments are milliseconds. */
export type TaskRow = Omit<Task, "lease"> & {
  dedupe_key: string | null;
  pooled: boolean;
  final: boolean;
  lease_token: string | null;
  lease_holder: string;
  leased_at: Instant;
  lease_until: Instant;
};

/** The last heartbeat for a task. */
export type Beat = { token: string; beat_at: Instant; until: Instant };

/** The task as rules see it. */
export function taskOf(row: TaskRow, beat: Beat | undefined): Task {
  return {
    id: row.id,
    org_id: row.org_id,
    project_id: row.project_id,
    lifecycle: row.lifecycle,
    lifecycle_version: row.lifecycle_version,
    status: row.status,
    row_version: row.row_version,
    title: row.title,
    data: row.data,
    created_by: row.created_by,
    assigned_to: row.assigned_to,
    private: row.private,
    priority: row.priority,
    attempt: row.attempt,
    open_blockers: row.open_blockers,
    open_holds: row.open_holds,
    due_at: row.due_at,
    due_action: row.due_action,
    available_at: row.available_at,
    exclusive_key: row.exclusive_key,
    needs_attention: row.needs_attention,
    lease: leaseOf(row.lease_token, row.lease_holder, row.leased_at, row.lease_until, beat),
    created_at: row.created_at,
    updated_at: row.updated_at,
    entered_at: row.entered_at,
  };
}

/**
 * A task that was locked, cell by cell, as LOCK_TASKS, PICK_FROM_POOL and PICK_DUE read it. What is as with most tasks is
 * null, which costs nothing to send: no, nought, and a moment that is the one before it.
 */
export type TaskCells = [
  id: string,
  /** Where the row lies: as long as it is locked, and until it is written, it stays there. */
  place: string,
  lifecycle: string,
  lifecycle_version: number,
  project_id: string,
  status: string,
  row_version: number,
  title: string,
  data: JsonObject,
  created_by: string | null,
  assigned_to: string | null,
  is_private: boolean | null,
  priority: number | null,
  attempt: number | null,
  open_blockers: number | null,
  open_holds: number | null,
  due_at: Instant | null,
  due_action: string | null,
  available_at: Instant | null,
  exclusive_key: string | null,
  needs_attention: boolean | null,
  created_at: Instant,
  updated_at: Instant | null,
  entered_at: Instant | null,
  lease_token: string | null,
  lease_holder: string | null,
  leased_at: Instant | null,
  lease_until: Instant | null,
];

export function taskOfCells(
  org_id: string,
  cells: readonly [...task: TaskCells, ...beside: unknown[]],
  beat: Beat | undefined,
): Task {
  const created_at = cells[21];
  const updated_at = cells[22] ?? created_at;
  return {
    id: cells[0],
    org_id,
    project_id: cells[4],
    lifecycle: cells[2],
    lifecycle_version: cells[3],
    status: cells[5],
    row_version: cells[6],
    title: cells[7],
    data: cells[8],
    created_by: cells[9],
    assigned_to: cells[10],
    private: cells[11] ?? false,
    priority: cells[12] ?? 0,
    attempt: cells[13] ?? 0,
    open_blockers: cells[14] ?? 0,
    open_holds: cells[15] ?? 0,
    due_at: cells[16],
    due_action: cells[17],
    available_at: cells[18],
    exclusive_key: cells[19],
    needs_attention: cells[20] ?? false,
    lease: leaseOf(cells[24], cells[25] ?? "", cells[26] ?? updated_at, cells[27] ?? 0, beat),
    created_at,
    updated_at,
    entered_at: cells[23] ?? updated_at,
  };
}

/** A heartbeat for another token came too late, or was for the lease before. */
function leaseOf(
  token: string | null,
  holder: string,
  leased_at: Instant,
  until: Instant,
  beat: Beat | undefined,
): Lease | null {
  if (token === null) return null;
  if (beat?.token !== token) return { token, holder, until, heartbeat_at: leased_at };
  return { token, holder, until: beat.until, heartbeat_at: beat.beat_at };
}

/** Columns of a task that most moves leave as they are. */
const CHANGEABLE = [
  "title",
  "assigned_to",
  "private",
  "priority",
  "attempt",
  "open_blockers",
  "open_holds",
  "due_at",
  "due_action",
  "available_at",
  "exclusive_key",
  "needs_attention",
] as const satisfies readonly (keyof Task)[];

/** Those columns, in this order; null for one that none of the moves has changed. */
export function changedColumns(moves: readonly Move[]): (string | null)[] {
  return CHANGEABLE.map((name) =>
    moves.some(({ work, after, stale }) => stale || after[name] !== work.task[name])
      ? column(moves.map(({ after }) => after[name]))
      : null,
  );
}

/** What the journal answers for: folding its patches gives these. Counters, timers and leases change without it. */
const JOURNALLED = {
  status: "",
  title: "",
  created_by: null,
  assigned_to: null,
  private: false,
  priority: 0,
  attempt: 0,
  available_at: null,
  exclusive_key: null,
  needs_attention: false,
} as const satisfies Partial<Task>;

/** What a task is before its journal says anything of it. */
export function unwritten(): JsonObject {
  return { ...JOURNALLED, data: {} };
}

export function journalled(task: Pick<Task, keyof typeof JOURNALLED | "data">): JsonObject {
  const columns = Object.keys(JOURNALLED) as (keyof typeof JOURNALLED)[];
  return Object.fromEntries([...columns, "data" as const].map((column) => [column, task[column]]));
}

/** What the first row of a task's journal has to say: only what is not as it is with every new task. */
export function birthPatch(task: Task): JsonObject {
  const patch: JsonObject = { status: task.status, title: task.title, data: task.data };
  for (const column of Object.keys(JOURNALLED) as (keyof typeof JOURNALLED)[]) {
    if (task[column] !== JOURNALLED[column]) patch[column] = task[column];
  }
  return patch;
}

/** What was put in by the caller, where there was anything to say. */
export function payloadOf({ input }: Command): JsonObject | null {
  return Object.keys(input).length === 0 ? null : input;
}

export function isPooled(lifecycle: Lifecycle, status: string): boolean {
  return lifecycle.pool?.from === status;
}

/** A status of the lifecycle's in which there is still something to do. */
export function isOpen(lifecycle: Lifecycle, status: string): boolean {
  return Object.hasOwn(lifecycle.statuses, status) && !isFinal(lifecycle, status);
}

export function isFinal(lifecycle: Lifecycle, status: string): boolean {
  return lifecycle.statuses[status]?.final === true;
}

/** Finished in the way that those who wait for it are waiting for; finished tasks keep statuses that are no more. */
export function isSuccess({ statuses, migrations }: Lifecycle, status: string): boolean {
  return statuses[migrations.statuses[status] ?? status]?.success === true;
}
