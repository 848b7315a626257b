import type { Instant, JsonObject } from "../../../core/index.ts";
import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const ADD_NOTICES = `
  insert into pawl.delivery_notice (org_id, key, kind, user_id, params, created_at)
  select $1, n.key, n.kind, n.user_id, n.params, clock_timestamp()
  from json_to_recordset($2::text::json) as n(key text, kind text, user_id text, params jsonb)
  order by n.key
  on conflict (org_id, key) do nothing`;

/** A notice to a user, or to the admins (`user_id` null). A key is sent once. */
export type NewNotice = { key: string; kind: string; user_id: string | null; params: JsonObject };

/** Adds notices; the bot sends them after the transaction has committed. */
export async function addNotices(tx: Tx, org_id: string, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length > 0) await query(tx, ADD_NOTICES, [org_id, asRows(notices)]);
}

// Adds one notice for the user and one for the admins, once per end of access.
const ADD_EXPIRY_WARNINGS = `
  insert into pawl.delivery_notice (org_id, key, kind, user_id, params, created_at)
  select $1, 'ending:' || u.id || ':' || extract(epoch from u.access_until) || ':' || whom.kind, whom.kind,
    case whom.kind when 'access_ending' then u.id end,
    jsonb_build_object('user_id', u.id, 'name', u.name, 'access_until', extract(epoch from u.access_until) * 1000),
    clock_timestamp()
  from pawl.delivery_user u cross join (values ('access_ending'), ('user_access_ending')) as whom(kind)
  where u.org_id = $1 and u.status = 'ACTIVE'
    and u.access_until > statement_timestamp() and u.access_until <= statement_timestamp() + interval '24 hours'
  on conflict (org_id, key) do nothing`;

export async function addExpiryWarnings(tx: Tx, org_id: string): Promise<void> {
  await query(tx, ADD_EXPIRY_WARNINGS, [org_id]);
}

// One notice per hour with failures, when the hour is over: every failed job has a notice to its user. Hours of the last day
// are included, in case that no bot was running.
const ADD_FAILURE_DIGESTS = `
  insert into pawl.delivery_notice (org_id, key, kind, user_id, params, created_at)
  select $1, 'failures:' || extract(epoch from h.hour), 'jobs_failed', null,
    jsonb_build_object('since', extract(epoch from h.hour) * 1000, 'total', sum(h.jobs),
      'codes', jsonb_object_agg(h.code, h.jobs), 'title', min(h.title)),
    clock_timestamp()
  from (
    select date_trunc('hour', n.created_at) as hour, coalesce(n.params ->> 'code', 'UNKNOWN') as code,
      count(*) as jobs, min(n.params ->> 'title') as title
    from pawl.delivery_notice n
    where n.org_id = $1 and n.kind = 'job_failed' and (n.sent_at is null or n.sent_at > statement_timestamp() - interval '1 day')
      and n.created_at >= statement_timestamp() - interval '1 day'
      and n.created_at < date_trunc('hour', statement_timestamp())
    group by 1, 2
  ) as h
  group by h.hour
  on conflict (org_id, key) do nothing`;

/** Adds the digests of failed jobs for the admins. */
export async function addFailureDigests(tx: Tx, org_id: string): Promise<void> {
  await query(tx, ADD_FAILURE_DIGESTS, [org_id]);
}

// Locked ones are skipped: two bots that take at once get different ones.
const TAKE_NOTICES = `
  update pawl.delivery_notice n set taken_until = clock_timestamp() + make_interval(secs => $3)
  where n.org_id = $1 and n.id in (
    select o.id from pawl.delivery_notice o
    where o.org_id = $1 and o.sent_at is null and (o.taken_until is null or o.taken_until <= clock_timestamp())
    order by o.created_at
    limit $2
    for update skip locked)
  returning n.id, n.kind, n.user_id, n.params, n.created_at`;

export type NoticeRow = {
  id: string;
  kind: string;
  user_id: string | null;
  params: JsonObject;
  created_at: Instant;
};

/** Takes pending notices, oldest first. A notice that is not settled in time can be taken again. */
export async function takeNotices(
  tx: Tx,
  org_id: string,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<NoticeRow[]> {
  const rows = await query<NoticeRow>(tx, TAKE_NOTICES, [org_id, limit, seconds]);
  return rows.sort((one, other) => one.created_at - other.created_at);
}

const SETTLE_NOTICE = `
  update pawl.delivery_notice n set sent_at = clock_timestamp()
  where n.org_id = $1 and n.id = $2::uuid and n.sent_at is null
  returning n.id`;

export async function settleNotice(tx: Tx, org_id: string, id: string): Promise<boolean> {
  return (await query(tx, SETTLE_NOTICE, [org_id, id])).length > 0;
}

// After 90 days a key cannot occur again, so the row is no longer needed to prevent a duplicate.
const DELETE_OLD_NOTICES = `
  delete from pawl.delivery_notice n
  where n.org_id = $1 and n.id in (
    select o.id from pawl.delivery_notice o
    where o.org_id = $1 and o.sent_at < statement_timestamp() - interval '90 days'
    order by o.sent_at
    limit 100
    for update skip locked)`;

export async function deleteOldNotices(tx: Tx, org_id: string): Promise<void> {
  await query(tx, DELETE_OLD_NOTICES, [org_id]);
}
