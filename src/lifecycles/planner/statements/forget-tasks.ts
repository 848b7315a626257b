import { query } from "../../../engine/transaction.ts";
import type { Tx } from "../../../engine/transaction.ts";

const FORGET_TASKS = `
  with links as (
    delete from pawl.planner_link l where l.org_id = $1 and l.task_id = any($2::uuid[])
  ), escalations as (
    delete from pawl.planner_escalation e where e.org_id = $1 and e.task_id = any($2::uuid[])
  ), fixes as (
    update pawl.planner_defect d set fix_task_id = null
    where d.org_id = $1 and d.fix_task_id = any($2::uuid[]) and d.task_id <> all($2::uuid[])
  )
  delete from pawl.planner_defect d where d.org_id = $1 and d.task_id = any($2::uuid[])`;

/** Deletes what is kept beside tasks that are gone; a defect outlives the task that was to mend it. */
export async function forgetTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  await query(tx, FORGET_TASKS, [org_id, ids]);
}
