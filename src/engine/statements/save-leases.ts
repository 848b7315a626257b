import type { Instant, Lease } from "../../core/index.ts";
import { column } from "../columns.ts";
import { post, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const OPEN_LEASES = `
  insert into pawl.lease (org_id, task_id, token, holder, until, heartbeat_at)
  select $1, l.task_id, l.token, l.holder, to_timestamp(l.until / 1000.0), to_timestamp($6 / 1000.0)
  from unnest($2::text::uuid[], $3::text::uuid[], $4::text::text[], $5::text::float8[]) as l(task_id, token, holder, until)
  on conflict (org_id, task_id) do update
    set token = excluded.token, holder = excluded.holder, until = excluded.until, heartbeat_at = excluded.heartbeat_at`;

export function openLeases(
  tx: Tx,
  org_id: string,
  leases: ReadonlyMap<string, Pick<Lease, "token" | "holder" | "until">>,
  now: Instant,
): void {
  if (leases.size === 0) return;
  const opened = [...leases.values()];
  post(tx, OPEN_LEASES, [
    org_id,
    column([...leases.keys()]),
    column(opened.map((lease) => lease.token)),
    column(opened.map((lease) => lease.holder)),
    column(opened.map((lease) => lease.until)),
    now,
  ]);
}

const CLOSE_LEASES = `delete from pawl.lease where org_id = $1 and task_id = any($2::text::uuid[])`;

export function closeLeases(tx: Tx, org_id: string, tasks: readonly string[]): void {
  if (tasks.length > 0) post(tx, CLOSE_LEASES, [org_id, column(tasks)]);
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
