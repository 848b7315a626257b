import type { Instant } from "../../core/index.ts";
import { queryCells } from "../transaction.ts";
import type { Queryable } from "../transaction.ts";
import { TASK_COLUMNS } from "./task-columns.ts";
import type { TaskCells } from "./task-columns.ts";

// Reads tasks, heartbeats, settings and clock in one snapshot. `offset 0` forces one heartbeat look-up per task: with a plain
// join, PostgreSQL misjudged the number of tasks and read all heartbeats of the org.
const snapshotOf = (ids: string) => `
  select ${TASK_COLUMNS}, b.token, b.beat_at, b.until,
    (select p.settings::text from pawl.project p where p.org_id = $1 and p.id = t.project_id),
    (select o.settings_version from pawl.org o where o.id = $1), clock_timestamp(),
    array(select r.client_event_id from pawl.request r where r.org_id = $1 and r.client_event_id = any($3::text[]))
  from pawl.task t
  left join lateral (
    select h.token, h.beat_at, h.until from pawl.heartbeat h
    where h.org_id = $1 and h.task_id = t.id offset 0) as b on true
  where t.org_id = $1 and t.id = ${ids}`;

// PostgreSQL plans a statement with an array for its length at every execution, which costs as much as running it (40 µs). A
// single task therefore has its own statement with a cached plan. (A cached plan for the array would suit only small tables.)
const SNAPSHOT_OF_TASKS = snapshotOf("any($2::uuid[])");
const SNAPSHOT_OF_TASK = snapshotOf("$2::uuid");

type SnapshotCells = [
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
export function readTaskSnapshot(
  tx: Queryable,
  org_id: string,
  ids: readonly string[],
  keys: readonly string[],
): Promise<SnapshotCells[]> {
  return ids.length === 1
    ? queryCells<SnapshotCells>(tx, SNAPSHOT_OF_TASK, [org_id, ids[0], keys])
    : queryCells<SnapshotCells>(tx, SNAPSHOT_OF_TASKS, [org_id, ids, keys]);
}
