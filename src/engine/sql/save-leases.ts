import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// The duration of a lease is in its task's row, so that heartbeats need no rules. Rows are written in the order of ids: two
// statements with the same tasks in different orders would deadlock.
const BEAT_LEASES = `
  insert into pawl.heartbeat as b (org_id, task_id, token, beat_at, until)
  select distinct t.org_id, t.id, t.lease_token, now(), now() + (t.lease_until - t.leased_at)
  from unnest($2::uuid[], $3::uuid[]) as beat(task_id, token)
  join pawl.task t on t.org_id = $1 and t.id = beat.task_id and t.lease_token = beat.token
  where t.org_id = $1 and t.id = any($2::uuid[]) and t.lease_holder = $4
  order by t.id
  on conflict (org_id, task_id) do update set token = excluded.token, beat_at = excluded.beat_at, until = excluded.until
  returning b.task_id, b.until`;

/** Renews many leases at once; those whose token is no longer valid are left out of the result. */
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
