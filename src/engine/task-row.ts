import type { Command, Instant, JsonObject, Lifecycle, Moved, Task } from "../core/index.ts";
import { leaseOf } from "./sql/task-columns.ts";
import type { Beat } from "./sql/task-columns.ts";

/** A row of pawl.task as the driver reads it; moments are milliseconds. */
export type TaskRow = Omit<Task, "lease"> & {
  readers: readonly string[] | null;
  dedupe_key: string | null;
  pooled: boolean;
  final: boolean;
  lease_token: string | null;
  lease_holder: string;
  leased_at: Instant;
  lease_until: Instant;
};

/** Builds the task that rules see from its row. */
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
    ...(row.readers === null ? undefined : { readers: row.readers }),
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

/** The fields that are folded from the patches of the journal, with their initial values. Counters, timers and leases are not in it. */
const JOURNALED_FIELDS = {
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

/** Returns the fields of a task before the first row of its journal. */
export function initialFields(): JsonObject {
  return { ...JOURNALED_FIELDS, data: {} };
}

/** Selects the fields of a task that its journal determines. */
export function journalled(task: Pick<Task, keyof typeof JOURNALED_FIELDS | "data">): JsonObject {
  const columns = Object.keys(JOURNALED_FIELDS) as (keyof typeof JOURNALED_FIELDS)[];
  return Object.fromEntries([...columns, "data" as const].map((column) => [column, task[column]]));
}

/** Returns the patch of a task's first journal row: only the fields that differ from their initial values. */
export function creationPatch(task: Task): JsonObject {
  const patch: JsonObject = { status: task.status, title: task.title, data: task.data };
  for (const column of Object.keys(JOURNALED_FIELDS) as (keyof typeof JOURNALED_FIELDS)[]) {
    if (task[column] !== JOURNALED_FIELDS[column]) patch[column] = task[column];
  }
  return patch;
}

/** Returns the payload of a journal row: the rule's own, or the caller's input; null if it is empty. */
export function payloadOf({ input: sent }: Command, { payload }: Moved["event"]): JsonObject | null {
  const input = payload ?? sent;
  return Object.keys(input).length === 0 ? null : input;
}

/** Whether tasks in this status are in the lifecycle's pool. */
export function isPooled(lifecycle: Lifecycle, status: string): boolean {
  return lifecycle.pool?.from === status;
}

/** Whether the lifecycle has this status and it is not final. */
export function isOpen(lifecycle: Lifecycle, status: string): boolean {
  return Object.hasOwn(lifecycle.statuses, status) && !isFinal(lifecycle, status);
}

export function isFinal(lifecycle: Lifecycle, status: string): boolean {
  return lifecycle.statuses[status]?.final === true;
}

/** Whether a final status counts as success for dependents. Finished tasks keep statuses that newer versions have renamed. */
export function isSuccess({ statuses, migrations }: Lifecycle, status: string): boolean {
  return statuses[migrations.statuses[status] ?? status]?.success === true;
}
