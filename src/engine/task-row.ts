import type { Command, Instant, JsonObject, Lifecycle, Task } from "../core/index.ts";
import { leaseOf } from "./sql/task-columns.ts";
import type { Beat } from "./sql/task-columns.ts";

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
