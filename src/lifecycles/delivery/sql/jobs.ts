import type { Instant } from "../../../core/index.ts";
import { isOpen, listTasks, query } from "../../../plugin/index.ts";
import type { Bind, TaskRow, Tx } from "../../../plugin/index.ts";
import { delivery } from "../lifecycle.ts";

/** Selects the jobs that a reader can see. */
export type JobFilter = {
  /** null: all projects. */
  projects: readonly string[] | null;
  reader: string | null;
  statuses: readonly string[] | null;
  /** Only jobs older than this one. */
  before: string | null;
  limit: number;
};

/** Returns ids of jobs that the reader can see, newest first. */
export async function pickJobs(
  tx: Tx,
  org_id: string,
  filter: JobFilter & { user_id: string | null },
): Promise<string[]> {
  const { projects, reader, statuses, before, limit, user_id } = filter;
  // The jobs of a user have their own index, which includes finished ones.
  const unfinished = user_id === null && (statuses?.every((status) => isOpen(delivery, status)) ?? false);
  const more = (bind: Bind) => (user_id === null ? [] : [`t.data ->> 'user_id' = ${bind(user_id)}`]);
  const taskFilter = { statuses, unfinished, projects, reader, assigned_to: null, text: null };
  const page = { cursor: before, newestFirst: true, limit };
  const rows = await listTasks(tx, org_id, { ...taskFilter, lifecycle: { known: "delivery" }, more }, page);
  return rows.map(({ id }) => id);
}

// Reads only jobs under a lease: they are few, even if the queue is long.
const PICK_STUCK_JOBS = `
  select t.id
  from unnest(array['CLAIMED', 'DOWNLOADING', 'STREAMING']) as s(status)
  cross join lateral (
    select h.id, h.project_id, h.private, h.created_by, h.assigned_to from pawl.task h
    where h.org_id = $1 and h.lifecycle = 'delivery' and h.status = s.status and not h.final offset 0
  ) as t
  cross join lateral (
    select h.heartbeat_at from pawl.lease h where h.org_id = $1 and h.task_id = t.id offset 0
  ) as l
  join pawl.project p on p.org_id = $1 and p.id = t.project_id
  where ($2::text[] is null or t.project_id = any($2))
    and (not t.private or $3 in (t.created_by, t.assigned_to))
    and extract(epoch from statement_timestamp() - l.heartbeat_at)
      > coalesce((p.settings #>> '{delivery,stuck_after_seconds}')::float8, $4)
  order by t.id desc
  limit $5`;

/** Returns ids of jobs whose last heartbeat is too old. */
export async function pickStuckJobs(
  tx: Tx,
  org_id: string,
  { projects, reader, limit }: Pick<JobFilter, "projects" | "reader" | "limit">,
  stuck_after_seconds: number,
): Promise<string[]> {
  const params = [org_id, projects, reader, stuck_after_seconds, limit];
  return (await query<{ id: string }>(tx, PICK_STUCK_JOBS, params)).map(({ id }) => id);
}

export type JobRow = TaskRow & {
  holder: string | null;
  heartbeat_at: Instant | null;
  stuck: boolean;
  bytes: number | null;
  total_bytes: number | null;
  progress_at: Instant | null;
};

// Stuck: under a lease whose heartbeat is older than the project's setting ($5 by default). Lateral lookups, because a join
// planned on empty tables would read the progress of all jobs.
const FIND_JOBS = `
  select t.*, l.holder, l.heartbeat_at, g.bytes::float8 as bytes, g.total_bytes::float8 as total_bytes,
    g.updated_at as progress_at,
    coalesce(extract(epoch from statement_timestamp() - l.heartbeat_at)
      > coalesce((p.settings #>> '{delivery,stuck_after_seconds}')::float8, $5), false) as stuck
  from unnest($2::uuid[]) as requested(id)
  cross join lateral (
    select a.* from pawl.task a where a.org_id = $1 and a.id = requested.id and a.lifecycle = 'delivery' offset 0
  ) as t
  join pawl.project p on p.org_id = $1 and p.id = t.project_id
  left join lateral (
    select h.holder, h.heartbeat_at from pawl.lease h where h.org_id = $1 and h.task_id = t.id offset 0
  ) as l on true
  left join lateral (
    select o.bytes, o.total_bytes, o.updated_at from pawl.delivery_progress o
    where o.org_id = $1 and o.task_id = t.id offset 0
  ) as g on true
  where ($3::text[] is null or t.project_id = any($3))
    and (not t.private or $4 in (t.created_by, t.assigned_to))
  order by t.id desc`;

/** Reads the jobs with these ids that the reader can see, newest first, with lease and progress. */
export function findJobs(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
  { projects, reader }: Pick<JobFilter, "projects" | "reader">,
  stuck_after_seconds: number,
): Promise<JobRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return query<JobRow>(tx, FIND_JOBS, [org_id, ids, projects, reader, stuck_after_seconds]);
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
