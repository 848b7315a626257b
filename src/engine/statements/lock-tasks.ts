import type { TaskCells } from "../task-row.ts";
import { queryCells } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Ordered by id: two transactions that lock in other orders deadlock.
// What lies beside the tasks is read by the next statement: after a wait for a lock, a join here would show it as it was before.
const LOCK_TASKS = `
  select t.id, t.ctid, t.lifecycle, t.lifecycle_version, t.project_id, t.status, t.row_version, t.title, t.data,
    t.created_by, t.assigned_to, nullif(t.private, false), nullif(t.priority, 0), nullif(t.attempt, 0),
    nullif(t.open_blockers, 0), nullif(t.open_holds, 0), t.due_at, t.due_action, t.available_at, t.exclusive_key,
    nullif(t.needs_attention, false), t.created_at, nullif(t.updated_at, t.created_at),
    nullif(t.entered_at, t.updated_at), t.lease_token, t.lease_holder, nullif(t.leased_at, t.updated_at), t.lease_until
  from pawl.task t
  where t.org_id = $1 and t.id = any($2::uuid[])
  order by t.id
  for update`;

/** Locks tasks until the transaction ends; those that do not exist are left out. */
export function lockTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<TaskCells[]> {
  return queryCells<TaskCells>(tx, LOCK_TASKS, [org_id, ids]);
}
