import { query } from "pawl/plugin";
import type { Tx } from "pawl/plugin";

const READ_LIMITS = `
  select l.member_id, l.limit_cents::float8 as limit_cents
  from pawl.invoices_limit l
  where l.org_id = $1 and l.member_id = any($2::text[])`;

/** Returns approval limits by member id; a member without a limit has no entry. */
export async function readLimits(
  tx: Tx,
  org_id: string,
  members: readonly (string | null)[],
): Promise<Map<string | null, number>> {
  const rows = await query<{ member_id: string; limit_cents: number }>(tx, READ_LIMITS, [org_id, members]);
  return new Map(rows.map(({ member_id, limit_cents }) => [member_id, limit_cents]));
}

const SAVE_LIMIT = `
  insert into pawl.invoices_limit (org_id, member_id, limit_cents) values ($1, $2, $3)
  on conflict (org_id, member_id) do update set limit_cents = excluded.limit_cents`;

/** Sets the approval limit of a member. */
export async function saveLimit(
  tx: Tx,
  org_id: string,
  member_id: string,
  limit_cents: number,
): Promise<void> {
  await query(tx, SAVE_LIMIT, [org_id, member_id, limit_cents]);
}
