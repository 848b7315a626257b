import type { Instant, JsonObject } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { statement } from "./statement.ts";
import type { Write } from "./statement.ts";

export type ProjectRow = { id: string; name: string; settings: JsonObject; created_at: Instant };

const LIST_PROJECTS = `
  select p.id, p.name, p.settings, p.created_at
  from pawl.project p
  where p.org_id = $1 and ($2::text is null or p.id > $2) and ($3::text[] is null or p.id = any($3))
  order by p.id
  limit $4`;

export function listProjects(
  tx: Tx,
  org_id: string,
  { cursor, among, limit }: { cursor: string | null; among: readonly string[] | null; limit: number },
): Promise<ProjectRow[]> {
  return query<ProjectRow>(tx, LIST_PROJECTS, [org_id, cursor, among, limit]);
}

const LOCK_PROJECT = `
  select p.id, p.name, p.settings, p.created_at
  from pawl.project p where p.org_id = $1 and p.id = $2
  for no key update`;

export async function lockProject(tx: Tx, org_id: string, id: string): Promise<ProjectRow | null> {
  const [row] = await query<ProjectRow>(tx, LOCK_PROJECT, [org_id, id]);
  return row ?? null;
}

const ADD_PROJECT = `
  with added as (
    insert into pawl.project (org_id, id, name, settings)
    values ($1, $2, $3, $4::text::jsonb)
    on conflict do nothing
    returning id, name, settings, created_at
  ), counted as (
    update pawl.org set settings_version = settings_version + 1 where id = $1 and exists (select from added)
  )
  select a.id, a.name, a.settings, a.created_at from added a`;

/** Adds a project; returns null if the id is taken. */
export async function addProject(
  tx: Tx,
  org_id: string,
  { id, name, settings }: Omit<ProjectRow, "created_at">,
): Promise<ProjectRow | null> {
  const [row] = await query<ProjectRow>(tx, ADD_PROJECT, [org_id, id, name, JSON.stringify(settings)]);
  return row ?? null;
}

const CHANGE_PROJECT = `
  with changed as (
    update pawl.project set name = $3, settings = $4::text::jsonb where org_id = $1 and id = $2
  )
  update pawl.org set settings_version = settings_version + 1 where id = $1`;

export async function changeProject(
  tx: Tx,
  org_id: string,
  { id, name, settings }: ProjectRow,
): Promise<void> {
  await query(tx, CHANGE_PROJECT, [org_id, id, name, JSON.stringify(settings)]);
}

const EXPIRE_DECISIONS = statement(`
  update pawl.org set settings_version = settings_version + 1 where id = :org_id`);

/** Makes every optimistic statement that was prepared before do nothing, also one that a lost connection still delivers. */
export function expireDecisions(org_id: string): Write {
  return EXPIRE_DECISIONS({ org_id });
}
