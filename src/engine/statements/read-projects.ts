import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const READ_PROJECTS = `
  select clock_timestamp() as now,
    (select json_object_agg(p.id, p.settings::text) from pawl.project p
     where p.org_id = $1 and p.id = any($2::text[])) as settings`;

type ProjectsRow = { now: Instant; settings: Record<string, string> | null };

/** The clock, and the settings of projects as text: most batches have seen it before. */
export async function readProjects(
  tx: Tx,
  org_id: string,
  projects: readonly string[],
): Promise<{ now: Instant; settings: Map<string, string> }> {
  const [row] = await query<ProjectsRow>(tx, READ_PROJECTS, [org_id, projects]);
  const { now, settings } = row as ProjectsRow;
  return { now, settings: new Map(Object.entries(settings ?? {})) };
}

const READ_SETTINGS = `
  select p.id, p.settings::text as settings from pawl.project p
  where p.org_id = $1 and ($2::text[] is null or p.id = any($2))
  order by p.id`;

/** The settings of some projects, or of all of the org's (null), as text. */
export async function readSettings(
  tx: Tx,
  org_id: string,
  projects: readonly string[] | null,
): Promise<Map<string, string>> {
  const rows = await query<{ id: string; settings: string }>(tx, READ_SETTINGS, [org_id, projects]);
  return new Map(rows.map(({ id, settings }) => [id, settings]));
}
