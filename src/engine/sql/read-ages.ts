import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { visibleTo } from "./visible-to.ts";

/** The unfinished tasks whose ages are read; null means no limit. */
export type AgeScope = {
  lifecycle: string;
  projects: readonly string[] | null;
  reader: string | null;
  person: string | null;
};

/** Ages in a status beyond which tasks are unusual there, as parallel arrays; a missing one is infinite. */
export type AgeLimits = {
  statuses: readonly string[];
  p50: readonly (number | null)[];
  p85: readonly (number | null)[];
  p95: readonly (number | null)[];
};

// Uses the index of unfinished tasks.
const COUNT_AGES = `
  select t.status, t.project_id, t.assigned_to as person, grouping(t.status, t.project_id, t.assigned_to)::integer as part,
    count(*)::float8 as tasks, min(t.entered_at) as oldest_entered_at,
    count(*) filter (where t.entered_at < statement_timestamp() - make_interval(secs => l.p50 / 1000.0))::float8 as over_p50,
    count(*) filter (where t.entered_at < statement_timestamp() - make_interval(secs => l.p85 / 1000.0))::float8 as over_p85,
    count(*) filter (where t.entered_at < statement_timestamp() - make_interval(secs => l.p95 / 1000.0))::float8 as over_p95
  from pawl.task t
  left join unnest($6::text[], $7::float8[], $8::float8[], $9::float8[]) as l(status, p50, p85, p95) on l.status = t.status
  where t.org_id = $1 and not t.final and t.lifecycle = $2
    and ($3::text[] is null or t.project_id = any($3))
    and ($5::text is null or t.assigned_to = $5)
    and ${visibleTo("$4")}
  group by grouping sets ((t.status), (t.project_id), (t.assigned_to))`;

/** The part of a row that it counts: one status, project or assignee. These are the values of `grouping`. */
export const AGE_PARTS = { status: 3, project: 5, person: 6 } as const;

export type AgeRow = {
  part: number;
  status: string | null;
  project_id: string | null;
  person: string | null;
  tasks: number;
  oldest_entered_at: Instant;
  over_p50: number;
  over_p85: number;
  over_p95: number;
};

/** Counts the unfinished tasks by status, by project and by assignee, and how many are older in their status than usual. */
export function countAges(tx: Tx, org_id: string, scope: AgeScope, limits: AgeLimits): Promise<AgeRow[]> {
  const { lifecycle, projects, reader, person } = scope;
  const { statuses, p50, p85, p95 } = limits;
  return query(tx, COUNT_AGES, [org_id, lifecycle, projects, reader, person, statuses, p50, p85, p95]);
}

const LIST_OLDEST = `
  select t.id as task_id, t.project_id, t.title, t.status, t.assigned_to, t.entered_at, t.created_at
  from pawl.task t
  where t.org_id = $1 and not t.final and t.lifecycle = $2
    and ($3::text[] is null or t.project_id = any($3))
    and ($5::text is null or t.assigned_to = $5)
    and ${visibleTo("$4")}
  order by t.entered_at, t.id
  limit $6`;

export type OldTask = {
  task_id: string;
  project_id: string;
  title: string;
  status: string;
  assigned_to: string | null;
  entered_at: Instant;
  created_at: Instant;
};

/** Lists the unfinished tasks that have been in their status longest. */
export function listOldest(tx: Tx, org_id: string, scope: AgeScope, limit: number): Promise<OldTask[]> {
  const { lifecycle, projects, reader, person } = scope;
  return query(tx, LIST_OLDEST, [org_id, lifecycle, projects, reader, person, limit]);
}
