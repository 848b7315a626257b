import type { Instant } from "../../../core/index.ts";
import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

export type Defect = {
  id: string;
  project_id: string;
  task_id: string;
  description: string;
  cause: string | null;
  what_to_fix: string | null;
  severity: "minor" | "major" | "critical";
  reported_by: string | null;
  reported_at: Instant;
  fix_task_id: string | null;
  how_fixed: string | null;
  fixed_by: string | null;
  fixed_at: Instant | null;
};

const RECORD_DEFECTS = `
  insert into pawl.planner_defect (org_id, id, project_id, task_id, description, cause, what_to_fix, severity, reported_by,
    reported_at, fix_task_id)
  select $1, d.id, d.project_id, d.task_id, d.description, d.cause, d.what_to_fix, d.severity, d.reported_by,
    to_timestamp($3::float8 / 1000.0), d.fix_task_id
  from json_to_recordset($2::text::json) as d(id uuid, project_id text, task_id uuid, description text, cause text,
    what_to_fix text, severity text, reported_by text, fix_task_id uuid)`;

export async function recordDefects(
  tx: Tx,
  org_id: string,
  defects: readonly Defect[],
  now: Instant,
): Promise<void> {
  await query(tx, RECORD_DEFECTS, [org_id, asRows(defects), now]);
}

const LIST_DEFECTS = `
  select d.id, d.project_id, d.task_id, d.description, d.cause, d.what_to_fix, d.severity, d.reported_by, d.reported_at,
    d.fix_task_id, d.how_fixed, d.fixed_by, d.fixed_at
  from pawl.planner_defect d
  where d.org_id = $1
    and ($2::uuid is null or d.id > $2)
    and ($3::text[] is null or d.project_id = any($3))
    and ($4::uuid is null or d.task_id = $4)
    and ($5::text is null or d.severity = $5)
    and ($6::boolean is null or (d.fixed_at is not null) = $6)
    and ($7::uuid[] is null or d.id = any($7))
  order by d.id
  limit $8`;

export type DefectFilter = {
  cursor?: string | undefined;
  projects: readonly string[] | null;
  task_id?: string | undefined;
  severity?: string | undefined;
  fixed?: boolean | undefined;
  ids?: readonly string[];
  limit: number;
};

/** Defects, oldest first. */
export function listDefects(tx: Tx, org_id: string, filter: DefectFilter): Promise<Defect[]> {
  const { cursor = null, projects, task_id = null, severity = null, fixed = null, ids = null } = filter;
  return query(tx, LIST_DEFECTS, [org_id, cursor, projects, task_id, severity, fixed, ids, filter.limit]);
}

// A defect is free if it is not fixed, and its fix-task is canceled or does not exist.
const LOCK_DEFECTS = `
  select d.id, d.task_id, d.description, d.what_to_fix,
    d.fixed_at is null and coalesce(f.status = 'canceled', true) as is_free
  from pawl.planner_defect d left join pawl.task f on f.org_id = d.org_id and f.id = d.fix_task_id
  where d.org_id = $1 and d.id = any($2::uuid[])
  order by d.id
  for update of d`;

export type LockedDefect = {
  id: string;
  task_id: string;
  description: string;
  what_to_fix: string | null;
  is_free: boolean;
};

export async function lockDefects(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, LockedDefect>> {
  if (ids.length === 0) return new Map();
  const rows = await query<LockedDefect>(tx, LOCK_DEFECTS, [org_id, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

const ASSIGN_FIX_TASKS = `
  update pawl.planner_defect d set fix_task_id = f.fix_task_id
  from json_to_recordset($2::text::json) as f(id uuid, fix_task_id uuid)
  where d.org_id = $1 and d.id = f.id`;

export async function assignFixTasks(
  tx: Tx,
  org_id: string,
  fixes: readonly { id: string; fix_task_id: string }[],
): Promise<void> {
  await query(tx, ASSIGN_FIX_TASKS, [org_id, asRows(fixes)]);
}

const CLOSE_DEFECTS = `
  update pawl.planner_defect d
  set how_fixed = f.how_fixed, fixed_by = f.fixed_by, fixed_at = to_timestamp($3::float8 / 1000.0)
  from json_to_recordset($2::text::json) as f(fix_task_id uuid, how_fixed text, fixed_by text)
  where d.org_id = $1 and d.fix_task_id = f.fix_task_id`;

export async function closeDefects(
  tx: Tx,
  org_id: string,
  fixes: readonly { fix_task_id: string; how_fixed: string | null; fixed_by: string | null }[],
  now: Instant,
): Promise<void> {
  await query(tx, CLOSE_DEFECTS, [org_id, asRows(fixes), now]);
}
