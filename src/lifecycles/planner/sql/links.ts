import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const SAVE_LINKS = `
  insert into pawl.planner_link (org_id, task_id, kind, target)
  select $1, l.task_id, l.kind, l.target
  from json_to_recordset($2::text::json) as l(task_id uuid, kind text, target uuid)
  where l.target is not null
  on conflict (org_id, task_id, kind) do update set target = excluded.target`;

const DROP_LINKS = `
  delete from pawl.planner_link k
  using json_to_recordset($2::text::json) as l(task_id uuid, kind text, target uuid)
  where k.org_id = $1 and k.task_id = l.task_id and k.kind = l.kind and l.target is null`;

export type Link = { task_id: string; kind: "deliverable" | "parent" | "fix"; target: string | null };

/** Saves the links of tasks; a null target removes the link. */
export async function saveLinks(tx: Tx, org_id: string, links: readonly Link[]): Promise<void> {
  if (links.length === 0) return;
  await Promise.all([
    query(tx, DROP_LINKS, [org_id, asRows(links)]),
    query(tx, SAVE_LINKS, [org_id, asRows(links)]),
  ]);
}
