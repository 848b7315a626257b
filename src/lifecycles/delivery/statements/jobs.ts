import type { Instant } from "../../../core/index.ts";
import type { TaskRow } from "../../../engine/task-row.ts";
import { query } from "../../../engine/transaction.ts";
import type { Tx } from "../../../engine/transaction.ts";

export type JobRow = TaskRow & {
  holder: string | null;
  heartbeat_at: Instant | null;
  stuck: boolean;
  bytes: number | null;
  total_bytes: number | null;
  progress_at: Instant | null;
};

// Stuck: under a lease whose heartbeat is older than its project allows ($8 where it does not say). Three ways to the same
// rows, each along an index of its own: by id, a person's own jobs, those that are unfinished; and all that there are.
const LIST_JOBS = `
  select t.*, l.holder, l.heartbeat_at, g.bytes::float8 as bytes, g.total_bytes::float8 as total_bytes,
    g.updated_at as progress_at, s.stuck
  from (
    select a.* from pawl.task a where a.org_id = $1 and a.lifecycle = 'delivery' and a.id = any($2::uuid[])
    union all
    select b.* from pawl.task b
    where b.org_id = $1 and b.lifecycle = 'delivery' and b.data ->> 'user_id' = $3 and $2::uuid[] is null
    union all
    select c.* from pawl.task c
    where c.org_id = $1 and c.lifecycle = 'delivery' and not c.final and $10::boolean
      and $2::uuid[] is null and $3::text is null
    union all
    select d.* from pawl.task d
    where d.org_id = $1 and d.lifecycle = 'delivery' and not $10::boolean and $2::uuid[] is null and $3::text is null
  ) as t
  join pawl.project p on p.org_id = $1 and p.id = t.project_id
  left join pawl.lease l on l.org_id = $1 and l.task_id = t.id
  left join pawl.delivery_progress g on g.org_id = $1 and g.task_id = t.id
  cross join lateral (
    select coalesce(extract(epoch from statement_timestamp() - l.heartbeat_at)
      > coalesce((p.settings #>> '{delivery,stuck_after_seconds}')::float8, $8), false) as stuck
  ) as s
  where ($4::text[] is null or t.project_id = any($4))
    and (not t.private or $5 in (t.created_by, t.assigned_to))
    and ($6::text[] is null or t.status = any($6))
    and ($7::uuid is null or t.id < $7)
    and ($11::boolean is null or s.stuck = $11)
  order by t.id desc
  limit $9`;

export type JobFilter = {
  ids?: readonly string[] | null;
  user_id?: string | null;
  projects: readonly string[] | null;
  reader: string | null;
  statuses?: readonly string[] | null;
  before?: string | null;
  /** Where the project says nothing. */
  stuck_after_seconds: number;
  limit: number;
  /** Only such as are not finished are asked for. */
  unfinished?: boolean;
  stuck?: boolean | null;
};

/** Jobs that somebody may see, newest first. */
export function listJobs(tx: Tx, org_id: string, filter: JobFilter): Promise<JobRow[]> {
  return query<JobRow>(tx, LIST_JOBS, [
    org_id,
    filter.ids ?? null,
    filter.user_id ?? null,
    filter.projects,
    filter.reader,
    filter.statuses ?? null,
    filter.before ?? null,
    filter.stuck_after_seconds,
    filter.limit,
    filter.unfinished ?? false,
    filter.stuck ?? null,
  ]);
}

const COUNT_JOBS = `
  select t.status, count(*)::integer as jobs from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'delivery' and not t.final
    and ($2::text[] is null or t.project_id = any($2))
  group by t.status`;

export async function countJobs(
  tx: Tx,
  org_id: string,
  projects: readonly string[] | null,
): Promise<Map<string, number>> {
  const rows = await query<{ status: string; jobs: number }>(tx, COUNT_JOBS, [org_id, projects]);
  return new Map(rows.map(({ status, jobs }) => [status, jobs]));
}
