import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const DELETE_RECORDS = `
  with links as (
    delete from pawl.planner_link l where l.org_id = $1 and l.task_id = any($2::uuid[])
  ), escalations as (
    delete from pawl.planner_escalation e where e.org_id = $1 and e.task_id = any($2::uuid[])
  ), fixes as (
    update pawl.planner_defect d set fix_task_id = null
    where d.org_id = $1 and d.fix_task_id = any($2::uuid[]) and d.task_id <> all($2::uuid[])
  )
  delete from pawl.planner_defect d where d.org_id = $1 and d.task_id = any($2::uuid[])`;

const UNLINK_TASKS = `
  with links as (
    delete from pawl.planner_link l where l.org_id = $1 and l.task_id = any($2::uuid[])
  )
  update pawl.planner_defect d set fix_task_id = null where d.org_id = $1 and d.fix_task_id = any($2::uuid[])`;

/** Deletes the links of deleted tasks that were never started, and frees the defects that they were to fix. */
export async function unlinkTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  await query(tx, UNLINK_TASKS, [org_id, ids]);
}

const FIND_UNDER_REPAIR = `
  select l.target as id from pawl.planner_link l
  join pawl.task f on f.org_id = l.org_id and f.id = l.task_id and not f.final
  where l.org_id = $1 and l.kind = 'fix' and l.target = any($2::uuid[])`;

/** Selects the tasks that have an unfinished fix-task, which still needs their defect. */
export async function findUnderRepair(tx: Tx, org_id: string, ids: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: string }>(tx, FIND_UNDER_REPAIR, [org_id, ids]);
  return rows.map(({ id }) => id);
}

/** Deletes the links, escalations and defects of deleted tasks. A defect outlives its fix-task. */
export async function deleteRecordsOf(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  await query(tx, DELETE_RECORDS, [org_id, ids]);
}
