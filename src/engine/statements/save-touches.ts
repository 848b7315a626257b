import type { JsonObject } from "../../core/index.ts";
import { asRows, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const SAVE_TOUCHES = `
  update pawl.task t set
    open_blockers = m.open_blockers, open_holds = m.open_holds, attempt = m.attempt,
    due_at = to_timestamp(m.due_at / 1000.0), due_action = m.due_action, updated_at = to_timestamp(m.updated_at / 1000.0)
  from json_to_recordset($2::text::json) as m(
    id uuid, open_blockers integer, open_holds integer, attempt integer, due_at float8, due_action text, updated_at float8)
  where t.org_id = $1 and t.id = any($3::uuid[]) and t.id = m.id`;

/** Saves what changes without a journal row: timers, counters, updated_at. */
export async function saveTouches(tx: Tx, org_id: string, rows: readonly JsonObject[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await query(tx, SAVE_TOUCHES, [org_id, asRows(rows), ids]);
}
