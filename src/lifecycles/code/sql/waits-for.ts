import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const WAITS_FOR = `
  with recursive awaited as (
    select d.blocker_id from pawl.dependency d where d.org_id = $1 and d.task_id = $2 and not d.resolved
    union
    select d.blocker_id from awaited a
    join pawl.dependency d on d.org_id = $1 and d.task_id = a.blocker_id and not d.resolved
  )
  select exists (select from awaited where blocker_id = $3) as waits`;

/** Returns whether a task waits for another, directly or through other tasks. */
export async function waitsFor(tx: Tx, org_id: string, task_id: string, awaited: string): Promise<boolean> {
  const [row] = await query<{ waits: boolean }>(tx, WAITS_FOR, [org_id, task_id, awaited]);
  return row?.waits ?? false;
}
