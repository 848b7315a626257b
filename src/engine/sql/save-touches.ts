import type { Task } from "../../core/index.ts";
import { column, sparseColumn } from "../columns.ts";
import { statement } from "./statement.ts";
import type { Write } from "./statement.ts";

const SAVE_TOUCHES = statement(`
  update pawl.task t set
    open_blockers = m.open_blockers, open_holds = m.open_holds, attempt = m.attempt,
    due_at = to_timestamp(m.due_at / 1000.0), due_action = m.due_action, updated_at = to_timestamp(m.updated_at / 1000.0),
    lease_token = m.lease_token, lease_holder = m.lease_holder, leased_at = to_timestamp(m.leased_at / 1000.0),
    lease_until = to_timestamp(m.lease_until / 1000.0)
  from unnest(:ids::text::uuid[], :open_blockers::text::integer[], :open_holds::text::integer[],
    :attempts::text::integer[], :due_ats::text::float8[], :due_actions::text::text[], :updated_ats::text::float8[],
    :lease_tokens::text::uuid[], :lease_holders::text::text[], :leased_ats::text::float8[], :lease_untils::text::float8[])
    as m(id, open_blockers, open_holds, attempt, due_at, due_action, updated_at, lease_token, lease_holder, leased_at,
      lease_until)
  where t.org_id = :org_id and t.id = any(:ids::text::uuid[]) and t.id = m.id`);

type Touch = Pick<
  Task,
  "id" | "open_blockers" | "open_holds" | "attempt" | "due_at" | "due_action" | "updated_at" | "lease"
>;

/** Saves changes that have no journal row: timers, counters, lease, updated_at. */
export function saveTouches(org_id: string, rows: readonly Touch[]): Write {
  return SAVE_TOUCHES({
    org_id,
    ids: column(rows.map((row) => row.id)),
    open_blockers: column(rows.map((row) => row.open_blockers)),
    open_holds: column(rows.map((row) => row.open_holds)),
    attempts: column(rows.map((row) => row.attempt)),
    due_ats: column(rows.map((row) => row.due_at)),
    due_actions: column(rows.map((row) => row.due_action)),
    updated_ats: column(rows.map((row) => row.updated_at)),
    lease_tokens: sparseColumn(rows.map(({ lease }) => lease?.token ?? null)),
    lease_holders: sparseColumn(rows.map(({ lease }) => lease?.holder ?? null)),
    leased_ats: sparseColumn(rows.map(({ lease }) => lease?.heartbeat_at ?? null)),
    lease_untils: sparseColumn(rows.map(({ lease }) => lease?.until ?? null)),
  });
}
