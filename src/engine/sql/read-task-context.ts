import type { Instant } from "../../core/index.ts";
import type { Beat } from "./task-columns.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// One statement, because four cost a third of a batch. It is sent after the lock: joined to the locking statement, it would
// return values from before the wait for the lock. It uses `any`, because a plan that joined an unnested array, made while a
// table was small, read all rows of an org.
const READ_SURROUNDINGS = `
  select clock_timestamp() as now,
    (select json_agg(json_build_array(b.task_id, b.token, extract(epoch from b.beat_at) * 1000,
       extract(epoch from b.until) * 1000))
     from pawl.heartbeat b where b.org_id = $1 and b.task_id = any($2::uuid[])) as beats,
    (select json_object_agg(p.id, p.settings::text)
     from pawl.project p where p.org_id = $1 and p.id in
       (select t.project_id from pawl.task t where t.org_id = $1 and t.id = any($2::uuid[]))) as settings`;

type SurroundingsRow = {
  now: Instant;
  beats: [task_id: string, token: string, beat_at: number, until: number][] | null;
  settings: Record<string, string> | null;
};

export type Surroundings = {
  /** The database's clock; decisions use no other. */
  now: Instant;
  beats: ReadonlyMap<string, Beat>;
  /** Settings of the tasks' projects, as text, since most are already parsed and cached. */
  settings: Readonly<Record<string, string>>;
};

/** Reads the clock, and the heartbeats and settings of tasks. */
export async function readTaskContext(tx: Tx, org_id: string, ids: readonly string[]): Promise<Surroundings> {
  const [row] = await query<SurroundingsRow>(tx, READ_SURROUNDINGS, [org_id, ids]);
  const { now, beats, settings } = row as SurroundingsRow;
  return {
    now,
    beats: new Map(
      beats?.map(([task_id, token, beat_at, until]) => [
        task_id,
        { token, beat_at: Math.trunc(beat_at), until: Math.trunc(until) },
      ]),
    ),
    settings: settings ?? {},
  };
}

const READ_CLOCK = `select clock_timestamp() as now`;

/** Reads only the database's clock. */
export async function readClock(tx: Tx): Promise<Instant> {
  const [row] = await query<{ now: Instant }>(tx, READ_CLOCK, []);
  return row?.now ?? 0;
}
