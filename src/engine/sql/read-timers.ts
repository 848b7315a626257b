import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Scope } from "./count-open.ts";
import { visibleTo } from "./visible-to.ts";

// Uses the index of timers and stops at the limit, since there may be very many after a long time without a sweep. It uses
// statement_timestamp(), because an index cannot be searched by the volatile clock_timestamp().
const READ_DUE_TIMERS = `
  select count(*)::float8 as due,
    coalesce(extract(epoch from statement_timestamp() - min(d.due_at)), 0)::float8 as lag_seconds
  from (
    select t.due_at from pawl.task t
    where t.org_id = $1 and t.due_at <= statement_timestamp()
      and ($2::text is null or t.lifecycle = $2)
      and ($3::text[] is null or t.project_id = any($3))
      and ${visibleTo("$4")}
    order by t.due_at limit $5
  ) as d`;

export type DueTimers = { due: number; lag_seconds: number };

/** Counts the overdue timers of the tasks in scope, and measures how late the first one is. */
export async function readDueTimers(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, reader }: Scope,
  limit: number,
): Promise<DueTimers> {
  const [row] = await query<DueTimers>(tx, READ_DUE_TIMERS, [org_id, lifecycle, projects, reader, limit]);
  return row ?? { due: 0, lag_seconds: 0 };
}
