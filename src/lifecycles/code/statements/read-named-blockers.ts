import { query } from "../../../engine/transaction.ts";
import type { Tx } from "../../../engine/transaction.ts";

// Locked as when a task is created: a blocker that finishes meanwhile waits for us, or was first and is seen as finished.
const LOCK_NAMED = `
  select t.id, t.project_id, t.final, t.private, t.created_by, t.assigned_to from pawl.task t
  where t.org_id = $1 and t.id = any($2::uuid[])
  order by t.id
  for share`;

export type NamedRow = {
  id: string;
  project_id: string;
  final: boolean;
  private: boolean;
  created_by: string | null;
  assigned_to: string | null;
};

export function lockNamedBlockers(tx: Tx, org_id: string, ids: readonly string[]): Promise<NamedRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : query<NamedRow>(tx, LOCK_NAMED, [org_id, ids]);
}

const FIND_WAITERS = `
  with recursive awaited as (
    select d.blocker_id from pawl.dependency d where d.org_id = $1 and d.task_id = $2 and not d.resolved
    union
    select d.blocker_id from awaited a
    join pawl.dependency d on d.org_id = $1 and d.task_id = a.blocker_id and not d.resolved
  )
  select exists (select from awaited where blocker_id = $3) as waits`;

/** Whether one task waits for another, directly or by others. */
export async function waitsFor(tx: Tx, org_id: string, task_id: string, awaited: string): Promise<boolean> {
  const [row] = await query<{ waits: boolean }>(tx, FIND_WAITERS, [org_id, task_id, awaited]);
  return row?.waits ?? false;
}
