import { query, queryCells } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { TASK_COLUMNS } from "./task-columns.ts";
import type { TaskCells } from "./task-columns.ts";

// Skips rows locked by other transactions, so that no batch waits for one row.
const LOCK_TASKS = `
  select ${TASK_COLUMNS}
  from pawl.task t
  where t.org_id = $1 and t.id = any($2::uuid[])
  order by t.id
  for update skip locked`;

/** Locks tasks until the transaction ends; those that do not exist or are locked by others are left out. */
export function lockTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<TaskCells[]> {
  return queryCells<TaskCells>(tx, LOCK_TASKS, [org_id, ids]);
}

const FIND_EXISTING = `select t.id from pawl.task t where t.org_id = $1 and t.id = any($2::uuid[])`;

/** Returns those of the given ids that exist. */
export async function findExisting(tx: Tx, org_id: string, ids: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: string }>(tx, FIND_EXISTING, [org_id, ids]);
  return rows.map(({ id }) => id);
}
