import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const FIND_WORKERS = `
  select m.id, m.project_ids from pawl.member m
  where m.org_id = $1 and m.id = any($2::text[]) and m.active and array_remove(m.roles, 'viewer') <> '{}'`;

/** Finds active members who do more than view, with the projects they may work in; null: all projects. */
export async function findWorkers(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string[] | null>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: string; project_ids: string[] | null }>(tx, FIND_WORKERS, [org_id, ids]);
  return new Map(rows.map(({ id, project_ids }) => [id, project_ids]));
}
