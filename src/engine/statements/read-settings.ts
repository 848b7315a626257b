import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const READ_SETTINGS = `
  select p.id, p.settings::text as settings from pawl.project p
  where p.org_id = $1 and p.id in (select t.project_id from pawl.task t where t.org_id = $1 and t.id = any($2::uuid[]))`;

/** The settings of the projects these tasks lie in, as text: most batches have seen it before. */
export function readSettingsOfTasks(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<{ id: string; settings: string }[]> {
  return query(tx, READ_SETTINGS, [org_id, ids]);
}

const READ_PROJECTS = `
  select p.id, p.settings::text as settings from pawl.project p where p.org_id = $1 and p.id = any($2::text[])`;

export function readSettings(
  tx: Tx,
  org_id: string,
  projects: readonly string[],
): Promise<{ id: string; settings: string }[]> {
  return query(tx, READ_PROJECTS, [org_id, projects]);
}
