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

// EXPIRED is told by the clock, so nobody has to come by in time to write it down.
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

/** The users of these ids that there are. */
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

/** The user as he is now, and for as long as the transaction lasts. */
export async function lockUser(tx: Tx, org_id: string, id: string): Promise<UserRow | null> {
  const [, users] = await Promise.all([query(tx, LOCK_USER, [org_id, id]), findUsers(tx, org_id, [id])]);
  return users.get(id) ?? null;
}

const ADD_USER = `
  insert into pawl.delivery_user (org_id, id, name, username, chat_id, status, requested_at)
  values ($1, $2, $3, $4, $5, 'PENDING', statement_timestamp())
  on conflict (org_id, id) do update
    set name = excluded.name, username = excluded.username, chat_id = excluded.chat_id
  returning (xmax = 0) as made`;

export type NewUser = { id: string; name: string; username: string | null; chat_id: string };

/** Adds a user, or brings up to date what is known of one; tells whether he is new. */
export async function addUser(tx: Tx, org_id: string, user: NewUser): Promise<boolean> {
  const { id, name, username, chat_id } = user;
  const [row] = await query<{ made: boolean }>(tx, ADD_USER, [org_id, id, name, username, chat_id]);
  return row?.made ?? false;
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

// A button can be tapped a hundred times: the admins hear of it again when they have decided since, or an hour later.
const ASK_AGAIN = `
  update pawl.delivery_user d set requested_at = statement_timestamp()
  where d.org_id = $1 and d.id = $2
    and (d.requested_at <= d.decided_at or d.requested_at <= statement_timestamp() - interval '1 hour')
  returning d.id`;

/** Whether there is something new to be told to the admins. */
export async function askAgain(tx: Tx, org_id: string, id: string): Promise<boolean> {
  return (await query(tx, ASK_AGAIN, [org_id, id])).length > 0;
}
