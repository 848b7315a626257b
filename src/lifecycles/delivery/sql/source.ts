import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Adds the notice to the admins in the same statement, only if the alert is new: one notice until the storage works again.
const ALERT_ADMINS = `
  with alert as (
    insert into pawl.delivery_source (org_id, needs_admin_since, reason)
    values ($1, clock_timestamp(), $2)
    on conflict (org_id) do nothing
    returning org_id, needs_admin_since, reason
  )
  insert into pawl.delivery_notice (org_id, key, kind, user_id, params, created_at)
  select c.org_id, 'source:' || extract(epoch from c.needs_admin_since), 'source_needs_admin', null,
    jsonb_build_object('reason', c.reason), c.needs_admin_since
  from alert c`;

/** Records that the storage rejects the token, and notifies the admins. */
export async function alertAdmins(tx: Tx, org_id: string, reason: string): Promise<void> {
  await query(tx, ALERT_ADMINS, [org_id, reason]);
}

const CLEAR_SOURCE_ALERT = `delete from pawl.delivery_source s where s.org_id = $1`;

export async function clearSourceAlert(tx: Tx, org_id: string): Promise<void> {
  await query(tx, CLEAR_SOURCE_ALERT, [org_id]);
}

const READ_SOURCE = `select s.needs_admin_since, s.reason from pawl.delivery_source s where s.org_id = $1`;

export type SourceRow = { needs_admin_since: Instant; reason: string };

/** Returns the alert; null if the storage works. */
export async function readSource(tx: Tx, org_id: string): Promise<SourceRow | null> {
  const [row] = await query<SourceRow>(tx, READ_SOURCE, [org_id]);
  return row ?? null;
}
