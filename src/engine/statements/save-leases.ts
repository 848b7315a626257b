import type { Lease } from "../../core/index.ts";
import { asRows, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const OPEN_LEASES = `
  insert into pawl.lease (org_id, task_id, token, holder, until, heartbeat_at)
  select $1, l.task_id, l.token, l.holder, to_timestamp(l.until / 1000.0), to_timestamp(l.heartbeat_at / 1000.0)
  from json_to_recordset($2::text::json) as l(task_id uuid, token uuid, holder text, until float8, heartbeat_at float8)
  on conflict (org_id, task_id) do update
    set token = excluded.token, holder = excluded.holder, until = excluded.until, heartbeat_at = excluded.heartbeat_at`;

export async function openLeases(
  tx: Tx,
  org_id: string,
  leases: readonly (Lease & { task_id: string })[],
): Promise<void> {
  if (leases.length > 0) await query(tx, OPEN_LEASES, [org_id, asRows(leases)]);
}

const CLOSE_LEASES = `delete from pawl.lease where org_id = $1 and task_id = any($2::uuid[])`;

export async function closeLeases(tx: Tx, org_id: string, tasks: readonly string[]): Promise<void> {
  if (tasks.length > 0) await query(tx, CLOSE_LEASES, [org_id, tasks]);
}

// The lifecycle's own length of a lease is in `until - heartbeat_at` of the last one, so that beating needs no rules.
const BEAT_LEASES = `
  update pawl.lease l set heartbeat_at = now(), until = now() + (l.until - l.heartbeat_at)
  from unnest($2::uuid[], $3::uuid[]) as beat(task_id, token)
  where l.org_id = $1 and l.task_id = any($2::uuid[]) and l.holder = $4
    and l.task_id = beat.task_id and l.token = beat.token
  returning l.task_id, l.until`;

/** Renews many leases at once; those whose token is no longer the lease's are left out of the answer. */
export function beatLeases(
  tx: Tx,
  org_id: string,
  holder: string,
  leases: readonly { task_id: string; lease_token: string }[],
): Promise<{ task_id: string; until: number }[]> {
  const ids = leases.map((lease) => lease.task_id);
  const tokens = leases.map((lease) => lease.lease_token);
  return query(tx, BEAT_LEASES, [org_id, ids, tokens, holder]);
}
