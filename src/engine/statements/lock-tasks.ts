import type { TaskRow } from "../task-row.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Ordered by id: two transactions that lock in other orders deadlock.
// What lies beside the tasks is read by the next statement: after a wait for a lock, a join here would show it as it was before.
const LOCK_TASKS = `
  select t.* from pawl.task t
  where t.org_id = $1 and t.id = any($2::uuid[])
  order by t.id
  for update`;

/** Locks tasks until the transaction ends; those that do not exist are left out. */
export function lockTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<TaskRow[]> {
  return query<TaskRow>(tx, LOCK_TASKS, [org_id, ids]);
}
