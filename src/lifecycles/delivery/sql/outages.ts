import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";
import { SOURCE_TOKEN_INVALID } from "../lifecycle.ts";
import { TOKEN_CODES } from "../outage-codes.ts";
import type { Side } from "../outage-codes.ts";

// An outage that begins again within ten minutes continues, unless an admin had to act. The notice to the admins is added in the
// same statement, so that it is sent once per outage.
const OPEN_OUTAGE = `
  with opened as (
    insert into pawl.delivery_outage as o (org_id, side, code, reason, since, probe_at)
    values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + make_interval(secs => $5))
    on conflict (org_id, side) do update set
      code = excluded.code, reason = excluded.reason, ended_at = null,
      (since, probes, probe_at) = (
        select case when again.same then o.since else excluded.since end,
          case when again.same then o.probes else 0 end,
          case when again.same then greatest(o.probe_at, excluded.probe_at) else excluded.probe_at end
        from (select o.code = excluded.code and not excluded.code = any($6::text[])
          and o.ended_at > clock_timestamp() - interval '10 minutes' as same) as again)
    where o.ended_at is not null or (excluded.code = any($6::text[]) and o.code <> excluded.code)
    returning o.org_id, o.side, o.code, o.reason, o.since
  )
  insert into pawl.delivery_notice (org_id, key, kind, user_id, params, created_at)
  select p.org_id, case p.code when '${SOURCE_TOKEN_INVALID}' then 'source:' else 'outage:' || p.side || ':' end || extract(epoch from p.since),
    case p.code when '${SOURCE_TOKEN_INVALID}' then 'source_needs_admin' else 'outage' end, null,
    jsonb_build_object('reason', p.reason, 'side', p.side, 'code', p.code), p.since
  from opened p
  on conflict (org_id, key) do nothing`;

export type NewOutage = { side: Side; code: string; reason: string; probeAfterSeconds: number };

/** Records an outage, unless it is known already. */
export async function openOutage(tx: Tx, org_id: string, outage: NewOutage): Promise<void> {
  const { side, code, reason, probeAfterSeconds } = outage;
  await query(tx, OPEN_OUTAGE, [org_id, side, code, reason, probeAfterSeconds, TOKEN_CODES]);
}

/** Records that the storage rejects the token, and notifies the admins. */
export function alertAdmins(tx: Tx, org_id: string, reason: string): Promise<void> {
  return openOutage(tx, org_id, {
    side: "storage",
    code: SOURCE_TOKEN_INVALID,
    reason,
    probeAfterSeconds: 0,
  });
}

const END_OUTAGE = `
  update pawl.delivery_outage o set ended_at = clock_timestamp()
  where o.org_id = $1 and o.side = $2 and o.ended_at is null and ($3::text is null or o.code = $3)
    and ($4::timestamptz is null or o.since < $4)`;

/** Ends the outage of one side. */
export async function endOutage(tx: Tx, org_id: string, side: Side): Promise<void> {
  await query(tx, END_OUTAGE, [org_id, side, null, null]);
}

/** Ends an outage by the storage's token that began before `usedAt` (default now), when the token was accepted. */
export async function clearSourceAlert(tx: Tx, org_id: string, usedAt: Instant | null): Promise<void> {
  const moment = usedAt === null ? null : new Date(usedAt).toISOString();
  await query(tx, END_OUTAGE, [org_id, "storage", SOURCE_TOKEN_INVALID, moment]);
}

const COUNT_OUTAGES = `
  select o.side, o.code, count(*)::integer as orgs from pawl.delivery_outage o where o.ended_at is null group by o.side, o.code`;

/** Counts the orgs with each kind of outage, for the metrics. */
export function countOutages(tx: Tx): Promise<{ side: Side; code: string; orgs: number }[]> {
  return query(tx, COUNT_OUTAGES, []);
}

const READ_OUTAGES = `
  select o.side, o.code, o.reason, o.since, o.probes, o.probe_at
  from pawl.delivery_outage o where o.org_id = $1 and o.ended_at is null
  order by o.side`;

export type OutageRow = {
  side: Side;
  code: string;
  reason: string;
  since: Instant;
  probes: number;
  probe_at: Instant;
};

/** Returns the current outages. */
export function readOutages(tx: Tx, org_id: string): Promise<OutageRow[]> {
  return query<OutageRow>(tx, READ_OUTAGES, [org_id]);
}

// Moves the next probe ahead: doubles the delay from the setting backoff_base_seconds up to a minute.
const TAKE_PROBES = `
  update pawl.delivery_outage o
  set probes = o.probes + 1,
    probe_at = clock_timestamp() + make_interval(secs => least($3::float8, $2::float8 * 2 ^ least(o.probes, 20)))
  where o.org_id = $1 and o.ended_at is null and ($4 or o.probe_at <= clock_timestamp())
  returning o.side`;

/** Takes the probes that are due, or with `now` all: each goes to one worker. */
export async function takeProbes(
  tx: Tx,
  org_id: string,
  { now, baseSeconds, capSeconds }: { now: boolean; baseSeconds: number; capSeconds: number },
): Promise<Side[]> {
  const rows = await query<{ side: Side }>(tx, TAKE_PROBES, [org_id, baseSeconds, capSeconds, now]);
  return rows.map(({ side }) => side);
}
