import type { TaskRow } from "../task-row.ts";
import type { Beat } from "./task-columns.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

/** Cursor over the unfinished tasks in the order of their index, so that every chunk costs the same. */
export type TaskCursor = { lifecycle: string; status: string; id: string };

export const START: TaskCursor = { lifecycle: "", status: "", id: "00000000-0000-0000-0000-000000000000" };

const PICK_UNFINISHED = `
  select t.lifecycle, t.status, t.id from pawl.task t
  where t.org_id = $1 and not t.final and (t.lifecycle, t.status, t.id) > ($2, $3, $4::uuid)
  order by t.lifecycle, t.status, t.id
  limit $5`;

export function pickUnfinished(
  tx: Tx,
  org_id: string,
  after: TaskCursor,
  limit: number,
): Promise<TaskCursor[]> {
  return query<TaskCursor>(tx, PICK_UNFINISHED, [org_id, after.lifecycle, after.status, after.id, limit]);
}

// One statement, so one snapshot: counters and the rows they count change in one transaction and always match.
const COUNT_OPEN = `
  select t.id as task_id, t.lifecycle, t.status, t.due_action, t.pooled, t.open_blockers, t.open_holds,
    (select count(*)::int from pawl.hold h
     where h.org_id = $1 and h.task_id = t.id and h.released_at is null) as holds,
    coalesce(edges.unresolved, 0) as unresolved, coalesce(edges.resolvable, '{}') as resolvable,
    coalesce(edges.failed, '{}') as failed, coalesce(edges.missing, '{}') as missing
  from pawl.task t
  left join lateral (
    select count(*)::int as unresolved,
      array_agg(d.blocker_id) filter (where b.final and (d.on_failure = 'proceed' or s.status is not null)) as resolvable,
      array_agg(d.blocker_id) filter (where b.final and d.on_failure = 'fail' and s.status is null) as failed,
      array_agg(d.blocker_id) filter (where b.id is null) as missing
    from pawl.dependency d
    left join pawl.task b on b.org_id = $1 and b.id = d.blocker_id
    left join unnest($3::text[], $4::text[]) as s(lifecycle, status) on s.lifecycle = b.lifecycle and s.status = b.status
    where d.org_id = $1 and d.task_id = t.id and not d.resolved
  ) as edges on true
  where t.org_id = $1 and t.id = any($2::uuid[]) and not t.final`;

export type Counted = {
  task_id: string;
  lifecycle: string;
  status: string;
  due_action: string | null;
  pooled: boolean;
  open_blockers: number;
  open_holds: number;
  /** The number of open holds. */
  holds: number;
  /** The number of unresolved dependencies. */
  unresolved: number;
  /** Blockers of unresolved dependencies that no longer block the task. */
  resolvable: string[];
  /** Blockers that ended without success and make the task fail too. */
  failed: string[];
  /** Blockers that do not exist. */
  missing: string[];
};

/** Reads the counters of unfinished tasks, and counts the rows themselves. */
export function countOpen(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
  successes: readonly { lifecycle: string; status: string }[],
): Promise<Counted[]> {
  const lifecycles = successes.map((success) => success.lifecycle);
  const statuses = successes.map((success) => success.status);
  return query<Counted>(tx, COUNT_OPEN, [org_id, ids, lifecycles, statuses]);
}

// One snapshot for task and heartbeat.
const READ_WITH_BEATS = `
  select t.*, b.token, b.beat_at, b.until from pawl.task t
  left join pawl.heartbeat b on b.org_id = $1 and b.task_id = t.id
  where t.org_id = $1 and t.id = any($2::uuid[]) and not t.final`;

export function readWithBeats(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<(TaskRow & (Beat | { token: null }))[]> {
  return query(tx, READ_WITH_BEATS, [org_id, ids]);
}
