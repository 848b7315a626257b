import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// The admins are told by the one who finds it first, in the same statement: once, until it has been well again.
const CALL_ADMIN = `
  with called as (
    insert into pawl.delivery_source (org_id, needs_admin_since, reason)
    values ($1, clock_timestamp(), $2)
    on conflict (org_id) do nothing
    returning org_id, needs_admin_since, reason
  )
  insert into pawl.delivery_notice (org_id, key, kind, user_id, params, created_at)
  select c.org_id, 'source:' || extract(epoch from c.needs_admin_since), 'source_needs_admin', null,
    jsonb_build_object('reason', c.reason), c.needs_admin_since
  from called c`;

/** The storage does not let us in: an admin must see to it. */
export async function callAdmin(tx: Tx, org_id: string, reason: string): Promise<void> {
  await query(tx, CALL_ADMIN, [org_id, reason]);
}

const SOURCE_IS_WELL = `delete from pawl.delivery_source s where s.org_id = $1`;

export async function sourceIsWell(tx: Tx, org_id: string): Promise<void> {
  await query(tx, SOURCE_IS_WELL, [org_id]);
}

const READ_SOURCE = `select s.needs_admin_since, s.reason from pawl.delivery_source s where s.org_id = $1`;

export type SourceRow = { needs_admin_since: Instant; reason: string };

/** null: all is well. */
export async function readSource(tx: Tx, org_id: string): Promise<SourceRow | null> {
  const [row] = await query<SourceRow>(tx, READ_SOURCE, [org_id]);
  return row ?? null;
}
