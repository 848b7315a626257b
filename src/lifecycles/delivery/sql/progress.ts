import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Writes only progress of jobs that the reporting member holds under a lease. Ordered by id: each row locks its task.
const SAVE_PROGRESS = `
  insert into pawl.delivery_progress (org_id, task_id, bytes, total_bytes, updated_at)
  select $1, l.task_id, reported.bytes, reported.total_bytes, clock_timestamp()
  from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[]) as reported(task_id, token, bytes, total_bytes)
  cross join lateral (
    select h.task_id from pawl.lease h
    where h.org_id = $1 and h.task_id = reported.task_id and h.token = reported.token and h.holder = $6 offset 0
  ) as l
  order by l.task_id
  on conflict (org_id, task_id) do update
    set bytes = excluded.bytes, total_bytes = excluded.total_bytes, updated_at = excluded.updated_at`;

export type JobProgress = {
  job_id: string;
  lease_token: string;
  bytes: number;
  total_bytes: number | null;
};

export async function saveProgress(
  tx: Tx,
  org_id: string,
  holder: string,
  reported: readonly JobProgress[],
): Promise<void> {
  if (reported.length === 0) return;
  // If a job is listed twice, its last entry counts: one statement cannot write a row twice.
  const jobs = [...new Map(reported.map((one) => [one.job_id.toLowerCase(), one])).values()];
  await query(tx, SAVE_PROGRESS, [
    org_id,
    jobs.map(({ job_id }) => job_id),
    jobs.map(({ lease_token }) => lease_token),
    jobs.map(({ bytes }) => bytes),
    jobs.map(({ total_bytes }) => total_bytes),
    holder,
  ]);
}

// Deletes workers without a heartbeat for a day.
const SAVE_WORKER_HEARTBEAT = `
  with expired as (
    delete from pawl.delivery_worker o
    where o.org_id = $1 and o.id <> $2 and o.heartbeat_at < statement_timestamp() - interval '1 day'
  )
  insert into pawl.delivery_worker (org_id, id, member_id, concurrency, started_at, heartbeat_at)
  values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
  on conflict (org_id, id) do update
    set member_id = excluded.member_id, concurrency = excluded.concurrency, heartbeat_at = excluded.heartbeat_at`;

export async function saveWorkerHeartbeat(
  tx: Tx,
  org_id: string,
  worker: { id: string; member_id: string; concurrency: number },
): Promise<void> {
  await query(tx, SAVE_WORKER_HEARTBEAT, [org_id, worker.id, worker.member_id, worker.concurrency]);
}

const SHORTEST_HEARTBEAT = `
  select coalesce(min(coalesce((p.settings #>> '{delivery,heartbeat_seconds}')::float8, $3)), $3) as seconds
  from pawl.project p
  where p.org_id = $1 and ($2::text[] is null or p.id = any($2))`;

/** Returns the shortest heartbeat interval of these projects (null: all), in seconds. */
export async function shortestHeartbeat(
  tx: Tx,
  org_id: string,
  projects: readonly string[] | null,
  defaultSeconds: number,
): Promise<number> {
  const [row] = await query<{ seconds: number }>(tx, SHORTEST_HEARTBEAT, [org_id, projects, defaultSeconds]);
  return row?.seconds ?? defaultSeconds;
}

const LIST_WORKERS = `
  select w.id, w.member_id, w.concurrency, w.started_at, w.heartbeat_at
  from pawl.delivery_worker w where w.org_id = $1
  order by w.heartbeat_at desc
  limit 200`;

export type WorkerRow = {
  id: string;
  member_id: string;
  concurrency: number;
  started_at: Instant;
  heartbeat_at: Instant;
};

export function listWorkers(tx: Tx, org_id: string): Promise<WorkerRow[]> {
  return query<WorkerRow>(tx, LIST_WORKERS, [org_id]);
}
