import type { Instant } from "../../core/index.ts";
import type { LeaseRow } from "../task-row.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const READ_SURROUNDINGS = `
  select a.id as task_id, l.token, l.holder, l.until, l.heartbeat_at,
    exists (select from pawl.dependency d
            where d.org_id = $1 and d.blocker_id = a.id and not d.resolved) as has_dependents
  from unnest($2::uuid[]) as a(id)
  left join pawl.lease l on l.org_id = $1 and l.task_id = a.id`;

export type Surroundings = Partial<LeaseRow> & { task_id: string; has_dependents: boolean };

/** What lies beside locked tasks: their leases, and whether anybody waits for them. */
export function readSurroundings(tx: Tx, org_id: string, ids: readonly string[]): Promise<Surroundings[]> {
  return query<Surroundings>(tx, READ_SURROUNDINGS, [org_id, ids]);
}

const READ_CLOCK = `select clock_timestamp() as now`;

/** The database's clock, which is the only one. */
export async function readClock(tx: Tx): Promise<Instant> {
  const [row] = await query<{ now: Instant }>(tx, READ_CLOCK, []);
  return row?.now ?? 0;
}
