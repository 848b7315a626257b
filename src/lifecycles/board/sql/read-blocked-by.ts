import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const READ_BLOCKED_BY = `
  select d.task_id, d.blocker_id from pawl.dependency d
  where d.org_id = $1 and d.task_id = any($2::uuid[])
  order by d.task_id, d.blocker_id`;

/** Reads the ids of each task's blockers. */
export async function readBlockedBy(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const blockers = new Map<string, string[]>(ids.map((id) => [id, []]));
  const rows = await query<{ task_id: string; blocker_id: string }>(tx, READ_BLOCKED_BY, [org_id, ids]);
  for (const { task_id, blocker_id } of rows) blockers.get(task_id)?.push(blocker_id);
  return blockers;
}
