import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// By the index of timers, and no further than the limit: when a sweep has been away for long there may be very many. By the
// statement's own time: a clock that may change while it is read is no bound for an index.
const READ_DUE_TIMERS = `
  select count(*)::float8 as due,
    coalesce(extract(epoch from statement_timestamp() - min(d.due_at)), 0)::float8 as lag_seconds
  from (
    select t.due_at from pawl.task t
    where t.org_id = $1 and t.due_at <= statement_timestamp()
    order by t.due_at limit $2
  ) as d`;

export type DueTimers = { due: number; lag_seconds: number };

/** The org's timers that have run out and wait for a sweep, and for how long the first of them has. */
export async function readDueTimers(tx: Tx, org_id: string, most: number): Promise<DueTimers> {
  const [row] = await query<DueTimers>(tx, READ_DUE_TIMERS, [org_id, most]);
  return row ?? { due: 0, lag_seconds: 0 };
}
