import { query, queryCells } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { TASK_COLUMNS } from "./task-columns.ts";
import type { TaskCells } from "./task-columns.ts";

// One probe of the timer index where nothing is due; many nodes sweep at once and skip each other's tasks. The time is that
// of the statement: compared with clock_timestamp(), which is another at every row, all timers of the org were read.
const PICK_DUE = `
  select ${TASK_COLUMNS}
  from pawl.task t
  where t.org_id = $1 and t.due_at <= coalesce(to_timestamp($2::float8 / 1000.0), statement_timestamp())
    and t.lifecycle = any($4::text[]) and ($5::uuid[] is null or t.id = any($5))
  order by t.due_at
  limit $3
  for update of t skip locked`;

/** Tasks whose timer has run out, locked. `now` stands in for the clock where a test needs it to. */
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
    /** Only of these tasks; null: of all. */
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
