import type { TaskRow } from "../task-row.ts";
import type { Beat } from "./task-columns.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const FIND_TASKS = `select t.* from pawl.task t where t.org_id = $1 and t.id = any($2::uuid[])`;

/** Finds tasks by id, in no particular order; unknown ids are left out. */
export function findTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<TaskRow[]> {
  return query<TaskRow>(tx, FIND_TASKS, [org_id, ids]);
}

const FIND_BY_DEDUPE_KEY = `
  select t.* from pawl.task t
  where t.org_id = $1 and (t.lifecycle, t.dedupe_key) in (select * from unnest($2::text[], $3::text[]))`;

/** Finds the tasks that were created with these dedupe keys. */
export function findByDedupeKey(
  tx: Tx,
  org_id: string,
  keys: readonly { lifecycle: string; dedupe_key: string }[],
): Promise<TaskRow[]> {
  if (keys.length === 0) return Promise.resolve([]);
  const lifecycles = keys.map((key) => key.lifecycle);
  return query<TaskRow>(tx, FIND_BY_DEDUPE_KEY, [org_id, lifecycles, keys.map((key) => key.dedupe_key)]);
}

const READ_BEATS = `
  select b.task_id, b.token, b.beat_at, b.until from pawl.heartbeat b
  where b.org_id = $1 and b.task_id = any($2::uuid[])`;

/** Reads the last heartbeat of each of these tasks. */
export async function readBeats(tx: Tx, org_id: string, ids: readonly string[]): Promise<Map<string, Beat>> {
  const rows = await query<Beat & { task_id: string }>(tx, READ_BEATS, [org_id, ids]);
  return new Map(rows.map((row) => [row.task_id, row]));
}
