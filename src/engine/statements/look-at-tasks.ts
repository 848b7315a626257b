import type { Instant } from "../../core/index.ts";
import type { TaskCells } from "../task-row.ts";
import { queryCells } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Tasks and what lies beside them as of one moment. The offsets keep the look-ups one by one: planned as joins, for a number
// of tasks that the planner only guesses, they read all heartbeats of an org.
const look = (wanted: string) => `
  select t.id, t.ctid, t.lifecycle, t.lifecycle_version, t.project_id, t.status, t.row_version, t.title, t.data,
    t.created_by, t.assigned_to, nullif(t.private, false), nullif(t.priority, 0), nullif(t.attempt, 0),
    nullif(t.open_blockers, 0), nullif(t.open_holds, 0), t.due_at, t.due_action, t.available_at, t.exclusive_key,
    nullif(t.needs_attention, false), t.created_at, nullif(t.updated_at, t.created_at),
    nullif(t.entered_at, t.updated_at), t.lease_token, t.lease_holder, nullif(t.leased_at, t.updated_at), t.lease_until,
    t.xmin, b.token, b.beat_at, b.until,
    (select p.settings::text from pawl.project p where p.org_id = $1 and p.id = t.project_id), clock_timestamp(),
    exists (select from pawl.dependency d
            where d.org_id = $1 and d.blocker_id = t.id and not d.resolved offset 0)
  from pawl.task t
  left join lateral (
    select h.token, h.beat_at, h.until from pawl.heartbeat h
    where h.org_id = $1 and h.task_id = t.id offset 0) as b on true
  where t.org_id = $1 and t.id = ${wanted}`;

// How long an array is PostgreSQL must see each time: it plans the look anew, and that costs as much as the look (40 µs). One
// task is found by a plan that is kept. (To hide the length from it would keep a plan, too: the one that was right when the
// table was small.)
const LOOK_AT_TASKS = look("any($2::uuid[])");
const LOOK_AT_TASK = look("$2::uuid");

export type LookedAtCells = [
  ...task: TaskCells,
  /** Who wrote the row: it is the same row as long as place and writer are the same. */
  writer: string,
  beat_token: string | null,
  beat_at: Instant | null,
  beat_until: Instant | null,
  settings: string | null,
  now: Instant,
  awaited: boolean,
];

/** Tasks with heartbeats, settings and whether somebody waits for them, without a lock. */
export function lookAtTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<LookedAtCells[]> {
  return ids.length === 1
    ? queryCells<LookedAtCells>(tx, LOOK_AT_TASK, [org_id, ids[0]])
    : queryCells<LookedAtCells>(tx, LOOK_AT_TASKS, [org_id, ids]);
}
