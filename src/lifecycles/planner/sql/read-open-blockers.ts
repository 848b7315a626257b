import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";
import type { EstimatedTask } from "../lateness.ts";

// `union` visits each dependency once. The limit bounds the work for a huge plan; then warnings may be missing.
const READ_OPEN_BLOCKERS = `
  with recursive waiting as (
    select d.task_id, d.blocker_id from pawl.dependency d
    where d.org_id = $1 and d.task_id = any($2::uuid[]) and not d.resolved
    union
    select d.task_id, d.blocker_id from waiting w
    join pawl.dependency d on d.org_id = $1 and d.task_id = w.blocker_id and not d.resolved
  )
  select w.task_id, t.id, t.status, (t.data ->> 'estimate_minutes')::integer as estimate_minutes,
    (t.data ->> 'started_at')::float8 as started_at
  from (select w.task_id, w.blocker_id from waiting w limit 10000) as w
  join pawl.task t on t.org_id = $1 and t.id = w.blocker_id and not t.final`;

/** Reads the unfinished blockers of tasks, and all blockers of those. */
export function readOpenBlockers(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<(EstimatedTask & { task_id: string })[]> {
  return ids.length === 0 ? Promise.resolve([]) : query(tx, READ_OPEN_BLOCKERS, [org_id, ids]);
}

// In the order of the index of due dates.
const READ_DUE = `
  select t.id, t.status, (t.data ->> 'due_at')::float8 as due_at, (t.data ->> 'estimate_minutes')::integer as estimate_minutes,
    (t.data ->> 'started_at')::float8 as started_at
  from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'planner' and not t.final and t.data ->> 'due_at' is not null
    and (t.data ->> 'due_at')::float8 > $3::float8
    and ($2::text[] is null or t.project_id = any($2))
  order by (t.data ->> 'due_at')::float8, t.id
  limit 1000`;

/** Reads the unfinished tasks that are due after a moment, at most the next 1,000. */
export function readDueAfter(
  tx: Tx,
  org_id: string,
  projects: readonly string[] | null,
  moment: Instant,
): Promise<(EstimatedTask & { due_at: Instant })[]> {
  return query(tx, READ_DUE, [org_id, projects, moment]);
}
