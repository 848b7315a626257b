import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const FIND_CLEARING = `
  select t.id, t.data ->> 'description' as description, t.project_id from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'code' and not t.final and t.data ->> 'clears' is not null
    and t.project_id = any($2::text[]) and t.data ->> 'description' = any($3::text[])
  order by t.id`;

export type ClearingRow = { id: string; description: string; project_id: string };

/** Finds unfinished tasks that clear the same obstacles. */
export function findClearingTasks(
  tx: Tx,
  org_id: string,
  projects: readonly string[],
  descriptions: readonly string[],
): Promise<ClearingRow[]> {
  return query<ClearingRow>(tx, FIND_CLEARING, [org_id, projects, descriptions]);
}
