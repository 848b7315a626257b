import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";
import type { UserStatus } from "../api.ts";

export type UserRow = {
  id: string;
  name: string;
  username: string | null;
  chat_id: string;
  status: UserStatus;
  access_until: Instant | null;
  requested_at: Instant;
  decided_by: string | null;
  created_at: Instant;
};

// EXPIRED is derived from the clock, so no job has to update the row in time.
const LIST_USERS = `
  select u.* from (
    select d.id, d.name, d.username, d.chat_id, d.access_until, d.requested_at, d.decided_by, d.created_at,
      case when d.status = 'ACTIVE' and d.access_until <= statement_timestamp() then 'EXPIRED' else d.status end as status
    from pawl.delivery_user d
    where d.org_id = $1 and ($2::text[] is null or d.id = any($2)) and ($3::text is null or d.id > $3)
  ) as u
  where $4::text[] is null or u.status = any($4)
  order by u.id
  limit $5`;

type UserFilter = {
  ids?: readonly string[] | null;
  after?: string | null;
  statuses?: readonly string[] | null;
  limit: number;
};

export function listUsers(
  tx: Tx,
  org_id: string,
  { ids = null, after = null, statuses = null, limit }: UserFilter,
): Promise<UserRow[]> {
  return query<UserRow>(tx, LIST_USERS, [org_id, ids, after, statuses, limit]);
}

/** Returns the existing users among these ids. */
export async function findUsers(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, UserRow>> {
  if (ids.length === 0) return new Map();
  const rows = await listUsers(tx, org_id, { ids, limit: ids.length });
  return new Map(rows.map((row) => [row.id, row]));
}

const LOCK_USER = `select d.id from pawl.delivery_user d where d.org_id = $1 and d.id = $2 for update`;

/** Locks and returns a user. */
export async function lockUser(tx: Tx, org_id: string, id: string): Promise<UserRow | null> {
  const [, users] = await Promise.all([query(tx, LOCK_USER, [org_id, id]), findUsers(tx, org_id, [id])]);
  return users.get(id) ?? null;
}

const ADD_USER = `
  insert into pawl.delivery_user (org_id, id, name, username, chat_id, status, requested_at)
  values ($1, $2, $3, $4, $5, 'PENDING', statement_timestamp())
  on conflict (org_id, id) do update
    set name = excluded.name, username = excluded.username, chat_id = excluded.chat_id
  returning (xmax = 0) as created`;

export type NewUser = { id: string; name: string; username: string | null; chat_id: string };

/** Adds or updates a user; returns whether the user is new. */
export async function addUser(tx: Tx, org_id: string, user: NewUser): Promise<boolean> {
  const { id, name, username, chat_id } = user;
  const [row] = await query<{ created: boolean }>(tx, ADD_USER, [org_id, id, name, username, chat_id]);
  return row?.created ?? false;
}

const DECIDE_USER = `
  update pawl.delivery_user d
  set status = $3, access_until = to_timestamp($4::float8 / 1000.0), decided_by = $5, decided_at = statement_timestamp()
  where d.org_id = $1 and d.id = $2`;

export async function decideUser(
  tx: Tx,
  org_id: string,
  id: string,
  change: { status: "ACTIVE" | "BLOCKED"; access_until: Instant | null; decided_by: string | null },
): Promise<void> {
  await query(tx, DECIDE_USER, [org_id, id, change.status, change.access_until, change.decided_by]);
}

// The button can be tapped many times: the admins are notified again only after a decision, or an hour later.
const RENEW_REQUEST = `
  update pawl.delivery_user d set requested_at = statement_timestamp()
  where d.org_id = $1 and d.id = $2
    and (d.requested_at <= d.decided_at or d.requested_at <= statement_timestamp() - interval '1 hour')
  returning d.id`;

/** Renews the request for access; returns whether to notify the admins again. */
export async function renewRequest(tx: Tx, org_id: string, id: string): Promise<boolean> {
  return (await query(tx, RENEW_REQUEST, [org_id, id])).length > 0;
}
