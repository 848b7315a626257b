import type { Instant } from "../../core/index.ts";
import { queryCells } from "../transaction.ts";
import type { Runs } from "../transaction.ts";
import { TASK_COLUMNS } from "./task-columns.ts";
import type { TaskCells } from "./task-columns.ts";

// Reads tasks, heartbeats, settings and clock in one snapshot. The offset forces one look-up per task: as a join, for a number
// of tasks that the planner only estimates, it read all heartbeats of an org.
const look = (wanted: string) => `
  select ${TASK_COLUMNS}, b.token, b.beat_at, b.until,
    (select p.settings::text from pawl.project p where p.org_id = $1 and p.id = t.project_id),
    (select o.settings_version from pawl.org o where o.id = $1), clock_timestamp(),
    array(select r.client_event_id from pawl.request r where r.org_id = $1 and r.client_event_id = any($3::text[]))
  from pawl.task t
  left join lateral (
    select h.token, h.beat_at, h.until from pawl.heartbeat h
    where h.org_id = $1 and h.task_id = t.id offset 0) as b on true
  where t.org_id = $1 and t.id = ${wanted}`;

// A statement with an array is planned for its length each time, which costs as much as running it (40 µs), so one task has a
// statement of its own with a cached plan. (Hiding the length would also cache a plan: one for a small table.)
const LOOK_AT_TASKS = look("any($2::uuid[])");
const LOOK_AT_TASK = look("$2::uuid");

type LookedAtCells = [
  ...task: TaskCells,
  beat_token: string | null,
  beat_at: Instant | null,
  beat_until: Instant | null,
  settings: string | null,
  settings_version: number,
  now: Instant,
  used_keys: string[],
];

/** Reads tasks with heartbeats and settings, and which of these client_event_ids were used before, without a lock. */
export function lookAtTasks(
  tx: Runs,
  org_id: string,
  ids: readonly string[],
  keys: readonly string[],
): Promise<LookedAtCells[]> {
  return ids.length === 1
    ? queryCells<LookedAtCells>(tx, LOOK_AT_TASK, [org_id, ids[0], keys])
    : queryCells<LookedAtCells>(tx, LOOK_AT_TASKS, [org_id, ids, keys]);
}
