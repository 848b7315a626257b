import { query, queryCells } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { TASK_COLUMNS } from "./task-columns.ts";
import type { TaskCells } from "./task-columns.ts";

// Costs one probe of the timer index if nothing is due. Nodes that sweep at the same time skip each other's tasks. It uses
// statement_timestamp(): with clock_timestamp(), which changes from row to row, all timers of the org were read.
const PICK_DUE = `
  select ${TASK_COLUMNS}
  from pawl.task t
  where t.org_id = $1 and t.due_at <= coalesce(to_timestamp($2::float8 / 1000.0), statement_timestamp())
    and t.lifecycle = any($4::text[]) and ($5::uuid[] is null or t.id = any($5))
  order by t.due_at
  limit $3
  for update of t skip locked`;

/** Locks and returns tasks whose timer has run out. `now` replaces the clock in tests. */
export function pickDue(
  tx: Tx,
  org_id: string,
  {
    now,
    limit,
    lifecycles,
    ids,
  }: {
    now: number | null;
    limit: number;
    lifecycles: readonly string[];
    /** Limits the search to these tasks; null: all. */
    ids: readonly string[] | null;
  },
): Promise<TaskCells[]> {
  return queryCells<TaskCells>(tx, PICK_DUE, [org_id, now, limit, lifecycles, ids]);
}

const ORGS_WITH_DUE_TASKS = `
  select o.id from pawl.org o
  where exists (select from pawl.task t
                where t.org_id = o.id and t.due_at <= coalesce(to_timestamp($1::float8 / 1000.0), statement_timestamp()))`;

export async function orgsWithDueTasks(tx: Tx, now: number | null): Promise<string[]> {
  const rows = await query<{ id: string }>(tx, ORGS_WITH_DUE_TASKS, [now]);
  return rows.map((row) => row.id);
}
