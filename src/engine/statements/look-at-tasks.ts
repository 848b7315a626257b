import type { Instant } from "../../core/index.ts";
import type { TaskRow } from "../task-row.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Tasks and what lies beside them as of one moment. The offsets keep the look-ups one by one: planned as joins, for a number
// of tasks that the planner only guesses, they read all heartbeats of an org.
const LOOK_AT_TASKS = `
  select t.org_id, t.id, t.lifecycle, t.lifecycle_version, t.project_id, t.status, t.row_version, t.title, t.data,
    t.created_by, t.assigned_to, t.private, t.priority, t.attempt, t.open_blockers, t.open_holds, t.due_at, t.due_action,
    t.available_at, t.exclusive_key, t.needs_attention, t.created_at, t.updated_at, t.entered_at, t.lease_token,
    t.lease_holder, t.leased_at, t.lease_until, b.token, b.beat_at, b.until, p.settings, clock_timestamp() as now,
    exists (select from pawl.dependency d
            where d.org_id = $1 and d.blocker_id = t.id and not d.resolved offset 0) as awaited
  from pawl.task t
  left join lateral (
    select h.token, h.beat_at, h.until from pawl.heartbeat h
    where h.org_id = $1 and h.task_id = t.id offset 0) as b on true
  left join lateral (
    select j.settings::text as settings from pawl.project j where j.org_id = $1 and j.id = t.project_id offset 0) as p on true
  where t.org_id = $1 and t.id = any($2::uuid[])`;

export type LookedAtRow = TaskRow & {
  token: string | null;
  beat_at: Instant;
  until: Instant;
  settings: string | null;
  now: Instant;
  awaited: boolean;
};

/** Tasks with leases, settings and whether somebody waits for them, without a lock. */
export function lookAtTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<LookedAtRow[]> {
  return query<LookedAtRow>(tx, LOOK_AT_TASKS, [org_id, ids]);
}
