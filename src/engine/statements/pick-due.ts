import type { TaskCells } from "../task-row.ts";
import { query, queryCells } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// One probe of the timer index where nothing is due; many nodes sweep at once and skip each other's tasks. The time is that
// of the statement: compared with clock_timestamp(), which is another at every row, all timers of the org were read.
const PICK_DUE = `
  select t.id, t.ctid, t.lifecycle, t.lifecycle_version, t.project_id, t.status, t.row_version, t.title, t.data,
    t.created_by, t.assigned_to, nullif(t.private, false), nullif(t.priority, 0), nullif(t.attempt, 0),
    nullif(t.open_blockers, 0), nullif(t.open_holds, 0), t.due_at, t.due_action, t.available_at, t.exclusive_key,
    nullif(t.needs_attention, false), t.created_at, nullif(t.updated_at, t.created_at),
    nullif(t.entered_at, t.updated_at), t.lease_token, t.lease_holder, nullif(t.leased_at, t.updated_at), t.lease_until
  from pawl.task t
  where t.org_id = $1 and t.due_at <= coalesce(to_timestamp($2::float8 / 1000.0), statement_timestamp())
    and t.lifecycle = any($4::text[])
  order by t.due_at
  limit $3
  for update of t skip locked`;

/** Tasks whose timer has run out, locked. `now` stands in for the clock where a test needs it to. */
export function pickDue(
  tx: Tx,
  org_id: string,
  { now, limit, lifecycles }: { now: number | null; limit: number; lifecycles: readonly string[] },
): Promise<TaskCells[]> {
  return queryCells<TaskCells>(tx, PICK_DUE, [org_id, now, limit, lifecycles]);
}

const ORGS_WITH_DUE_TASKS = `
  select o.id from pawl.org o
  where exists (select from pawl.task t
                where t.org_id = o.id and t.due_at <= coalesce(to_timestamp($1::float8 / 1000.0), statement_timestamp()))`;

export async function orgsWithDueTasks(tx: Tx, now: number | null): Promise<string[]> {
  const rows = await query<{ id: string }>(tx, ORGS_WITH_DUE_TASKS, [now]);
  return rows.map((row) => row.id);
}
