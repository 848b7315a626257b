import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { lockText } from "./advisory-locks.ts";

const WAITS_FOR = `
  with recursive awaited as (
    select $2::uuid as id
    union
    select e.blocker_id from awaited a
    cross join lateral (
      select d.blocker_id from pawl.dependency d where d.org_id = $1 and d.task_id = a.id and not d.resolved
      union all
      select n.blocker_id from unnest($4::uuid[], $5::uuid[]) as n(task_id, blocker_id) where n.task_id = a.id
    ) as e
  )
  select exists (select from awaited a where a.id = $3) as waits`;

export type Edge = { task_id: string; blocker_id: string };

/**
 * Returns whether a task is another or waits for it, directly or through other tasks; `unsaved` dependencies of the same batch
 * count too. Holds a lock of the org until the transaction ends: two new dependencies that form a cycle only together would
 * otherwise not see each other.
 */
export async function waitsFor(
  tx: Tx,
  org_id: string,
  { task_id, blocker_id }: Edge,
  unsaved: readonly Edge[],
): Promise<boolean> {
  await lockText(tx, `dependencies of ${org_id}`);
  const params = [
    org_id,
    task_id,
    blocker_id,
    unsaved.map((edge) => edge.task_id),
    unsaved.map((edge) => edge.blocker_id),
  ];
  const [row] = await query<{ waits: boolean }>(tx, WAITS_FOR, params);
  return row?.waits ?? false;
}
