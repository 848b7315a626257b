import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Queryable, Tx } from "../transaction.ts";

const READ_PROJECTS = `
  select clock_timestamp() as now, (select o.settings_version from pawl.org o where o.id = $1) as version,
    (select json_object_agg(p.id, p.settings::text) from pawl.project p
     where p.org_id = $1 and p.id = any($2::text[])) as settings`;

type ProjectsRow = { now: Instant; version: number | null; settings: Record<string, string> | null };

/** Reads the clock, and the settings of projects as text, with their version. */
export async function readProjects(
  tx: Queryable,
  org_id: string,
  projects: readonly string[],
): Promise<{ now: Instant; version: number; settings: Map<string, string> }> {
  const [row] = await query<ProjectsRow>(tx, READ_PROJECTS, [org_id, projects]);
  const { now, version, settings } = row as ProjectsRow;
  return { now, version: version ?? 0, settings: new Map(Object.entries(settings ?? {})) };
}

const READ_SETTINGS = `
  select p.id, p.settings::text as settings from pawl.project p
  where p.org_id = $1 and ($2::text[] is null or p.id = any($2))
  order by p.id`;

/** Reads the settings of some projects, or of all projects of the org (null), as text. */
export async function readSettings(
  tx: Tx,
  org_id: string,
  projects: readonly string[] | null,
): Promise<Map<string, string>> {
  const rows = await query<{ id: string; settings: string }>(tx, READ_SETTINGS, [org_id, projects]);
  return new Map(rows.map(({ id, settings }) => [id, settings]));
}

const READ_ALL_SETTINGS = `
  select clock_timestamp() as now, o.settings_version as version, p.id, p.settings::text as settings
  from pawl.org o
  left join (select q.* from pawl.project q where q.org_id = $1 limit $2) as p on p.org_id = o.id
  where o.id = $1`;

/** Reads the settings of an org's projects as text, at most `limit`, with their version and the clock. */
export async function readAllSettings(
  tx: Queryable,
  org_id: string,
  limit: number,
): Promise<{ now: Instant; version: number; settings: Map<string, string>; isAll: boolean }> {
  const rows = await query<{ now: Instant; version: number; id: string | null; settings: string }>(
    tx,
    READ_ALL_SETTINGS,
    [org_id, limit + 1],
  );
  const [{ now, version } = { now: 0, version: 0 }] = rows;
  const settings = new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id, row.settings]])));
  return { now, version, settings, isAll: rows.length <= limit };
}
