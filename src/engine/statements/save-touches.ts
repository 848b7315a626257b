import type { Task } from "../../core/index.ts";
import { column, sparseColumn } from "../columns.ts";
import { post } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const SAVE_TOUCHES = `
  update pawl.task t set
    open_blockers = m.open_blockers, open_holds = m.open_holds, attempt = m.attempt,
    due_at = to_timestamp(m.due_at / 1000.0), due_action = m.due_action, updated_at = to_timestamp(m.updated_at / 1000.0),
    lease_token = m.lease_token, lease_holder = m.lease_holder, leased_at = to_timestamp(m.leased_at / 1000.0),
    lease_until = to_timestamp(m.lease_until / 1000.0)
  from unnest($2::text::uuid[], $3::text::integer[], $4::text::integer[], $5::text::integer[], $6::text::float8[],
    $7::text::text[], $8::text::float8[], $9::text::uuid[], $10::text::text[], $11::text::float8[], $12::text::float8[])
    as m(id, open_blockers, open_holds, attempt, due_at, due_action, updated_at, lease_token, lease_holder, leased_at,
      lease_until)
  where t.org_id = $1 and t.id = any($2::text::uuid[]) and t.id = m.id`;

type Touch = Pick<
  Task,
  "id" | "open_blockers" | "open_holds" | "attempt" | "due_at" | "due_action" | "updated_at" | "lease"
>;

/** Saves what changes without a journal row: timers, counters, lease, updated_at. */
export function saveTouches(tx: Tx, org_id: string, rows: readonly Touch[]): void {
  if (rows.length === 0) return;
  post(tx, SAVE_TOUCHES, [
    org_id,
    column(rows.map((row) => row.id)),
    column(rows.map((row) => row.open_blockers)),
    column(rows.map((row) => row.open_holds)),
    column(rows.map((row) => row.attempt)),
    column(rows.map((row) => row.due_at)),
    column(rows.map((row) => row.due_action)),
    column(rows.map((row) => row.updated_at)),
    sparseColumn(rows.map(({ lease }) => lease?.token ?? null)),
    sparseColumn(rows.map(({ lease }) => lease?.holder ?? null)),
    sparseColumn(rows.map(({ lease }) => lease?.heartbeat_at ?? null)),
    sparseColumn(rows.map(({ lease }) => lease?.until ?? null)),
  ]);
}
