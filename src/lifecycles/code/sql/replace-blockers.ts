import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const REPLACE_BLOCKERS = `
  with replaced as (
    update pawl.dependency d set blocker_id = r.replacement_id
    from json_to_recordset($2::text::json) as r(task_id uuid, blocker_id uuid, replacement_id uuid)
    where d.org_id = $1 and d.task_id = r.task_id and d.blocker_id = r.blocker_id and not d.resolved
    returning d.blocker_id
  )
  update pawl.task t set awaited = true
  where t.org_id = $1 and t.id in (select r.blocker_id from replaced r) and not t.awaited`;

/** Replaces the blockers of tasks. */
export async function replaceBlockers(
  tx: Tx,
  org_id: string,
  edges: readonly { task_id: string; blocker_id: string; replacement_id: string }[],
): Promise<void> {
  await query(tx, REPLACE_BLOCKERS, [org_id, asRows(edges)]);
}
