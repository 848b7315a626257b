import type { Instant, JsonObject, Lease, Lifecycle, Task } from "../core/index.ts";

/** A row of pawl.task as the driver reads it; moments are milliseconds. */
export type TaskRow = Omit<Task, "lease"> & { dedupe_key: string | null; pooled: boolean; final: boolean };

export type LeaseRow = {
  task_id: string;
  token: string;
  holder: string;
  until: Instant;
  heartbeat_at: Instant;
};

/** The task as rules see it. */
export function taskOf(row: TaskRow, lease: LeaseRow | undefined): Task {
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
    lease: lease ? leaseOf(lease) : null,
    created_at: row.created_at,
    updated_at: row.updated_at,
    entered_at: row.entered_at,
  };
}

function leaseOf({ token, holder, until, heartbeat_at }: LeaseRow): Lease {
  return { token, holder, until, heartbeat_at };
}

/** The columns that every write of a task carries, as one of the statements' JSON rows. */
export function columnsOf(lifecycle: Lifecycle, task: Task): JsonObject {
  return {
    id: task.id,
    status: task.status,
    title: task.title,
    assigned_to: task.assigned_to,
    private: task.private,
    priority: task.priority,
    attempt: task.attempt,
    open_blockers: task.open_blockers,
    open_holds: task.open_holds,
    due_at: task.due_at,
    due_action: task.due_action,
    available_at: task.available_at,
    exclusive_key: task.exclusive_key,
    needs_attention: task.needs_attention,
    pooled: lifecycle.pool?.from === task.status,
    final: isFinal(lifecycle, task.status),
    updated_at: task.updated_at,
    entered_at: task.entered_at,
  };
}

/** What the journal answers for: folding its patches gives these. Counters, timers and leases change without it. */
const JOURNALLED = [
  "status",
  "title",
  "created_by",
  "assigned_to",
  "private",
  "priority",
  "attempt",
  "available_at",
  "exclusive_key",
  "needs_attention",
  "data",
] as const satisfies readonly (keyof Task)[];

export function journalled(task: Pick<Task, (typeof JOURNALLED)[number]>): JsonObject {
  return Object.fromEntries(JOURNALLED.map((column) => [column, task[column]]));
}

export function isFinal(lifecycle: Lifecycle, status: string): boolean {
  return lifecycle.statuses[status]?.final === true;
}

/** Finished in the way that those who wait for it are waiting for; finished tasks keep statuses that are no more. */
export function isSuccess({ statuses, migrations }: Lifecycle, status: string): boolean {
  return statuses[migrations.statuses[status] ?? status]?.success === true;
}
