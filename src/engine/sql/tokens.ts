import type { Instant } from "../../core/index.ts";
import { queryOutsideTransaction } from "../query-outside-transaction.ts";
import type { Confines } from "../directory/confines.ts";
import type { Sql } from "../../postgres/index.ts";
import type { MemberRow } from "./members.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Reads the member as well, so that a deactivated member or a removed role takes effect with the next request. A session ends
// with the token that it was started with, and when it was not used for the idle time.
const FIND_HOLDERS = `
  select encode(t.hash, 'hex') as hash, t.id as token_id, t.kind as token_kind, t.parent_id, t.confined_to,
    t.last_used_at is null or t.last_used_at < now() - interval '1 minute' as unrecorded,
    m.id, m.name, m.kind, m.roles, m.project_ids, m.skill_level, m.specializations, m.active
  from pawl.token t join pawl.member m on m.org_id = t.org_id and m.id = t.member_id
  where t.org_id = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
    and (t.kind = 'token' or t.last_used_at > now() - $3::float8 * interval '1 ms')
    and (t.parent_id is null or exists (
      select from pawl.token p
      where p.org_id = t.org_id and p.id = t.parent_id
        and p.revoked_at is null and (p.expires_at is null or p.expires_at > now())))
    and t.hash = any(array(select decode(asked.hash, 'hex') from unnest($2::text[]) as asked(hash)))`;

export type HolderRow = MemberRow & {
  hash: string;
  token_id: string;
  token_kind: "token" | "session";
  parent_id: string | null;
  confined_to: Confines | null;
  /** Its last use was not recorded within the last minute. */
  unrecorded: boolean;
};

/** Finds the members of tokens by hash; unknown, revoked and expired tokens, and idle sessions are left out. */
export function findHolders(
  sql: Sql,
  retryTimeoutMs: number,
  org_id: string,
  { hashes, idleMs }: { hashes: readonly string[]; idleMs: number },
): Promise<HolderRow[]> {
  return queryOutsideTransaction<HolderRow>(sql, retryTimeoutMs, FIND_HOLDERS, [org_id, hashes, idleMs]);
}

const SAVE_TOKEN = `
  insert into pawl.token (org_id, id, member_id, hash, created_by, confined_to, expires_at, name)
  values ($1, $2, $3, decode($4, 'hex'), $5, $6::text::jsonb, now() + $7::float8 * interval '1 ms', $8)
  on conflict on constraint token_hash_unique do update set revoked_at = null, expires_at = excluded.expires_at
  returning member_id`;

export type NewToken = {
  id: string;
  member_id: string;
  hash: string;
  created_by: string | null;
  confined_to?: Confines;
  expires_in_ms?: number | null | undefined;
  name?: string | null | undefined;
};

/** Saves a token and returns its member; a revoked or expired one becomes valid again. */
export async function saveToken(tx: Tx, org_id: string, token: NewToken): Promise<string> {
  const { id, member_id, hash, created_by, confined_to, expires_in_ms = null, name = null } = token;
  const [row] = await query<{ member_id: string }>(tx, SAVE_TOKEN, [
    org_id,
    id,
    member_id,
    hash,
    created_by,
    confined_to ? JSON.stringify(confined_to) : null,
    expires_in_ms,
    name,
  ]);
  return row?.member_id ?? member_id;
}

const LIST_TOKENS = `
  select t.id, t.name, t.last_used_at, t.created_by, t.created_at, t.confined_to, t.expires_at, t.revoked_at, s.state
  from pawl.token t
  cross join lateral (select case
    when t.revoked_at is not null then 'revoked'
    when t.expires_at <= now() then 'expired'
    else 'valid' end as state) s
  where t.org_id = $1 and t.member_id = $2 and t.kind = 'token' and ($4::boolean or s.state = 'valid')
  order by t.created_at desc, t.id desc
  limit $3`;

export type TokenRow = {
  id: string;
  name: string | null;
  /** Recorded once a minute at most. */
  last_used_at: Instant | null;
  created_by: string | null;
  created_at: Instant;
  /** null: no limits. */
  confined_to: Confines | null;
  expires_at: Instant | null;
  revoked_at: Instant | null;
  state: "valid" | "expired" | "revoked";
};

/** Lists a member's tokens, newest first; by default only the valid ones. */
export function listTokens(
  tx: Tx,
  org_id: string,
  member_id: string,
  { limit, all }: { limit: number; all: boolean },
): Promise<TokenRow[]> {
  return query<TokenRow>(tx, LIST_TOKENS, [org_id, member_id, limit, all]);
}

const FIND_HOLDER_OF = `
  select m.id, m.name, m.kind, m.roles, m.project_ids, m.skill_level, m.specializations, m.active
  from pawl.token t join pawl.member m on m.org_id = t.org_id and m.id = t.member_id
  where t.org_id = $1 and t.id = $2 and t.kind = 'token'`;

/** Finds the member that a token was issued for, even if it is revoked. */
export async function findHolderOf(tx: Tx, org_id: string, id: string): Promise<MemberRow | null> {
  const [row] = await query<MemberRow>(tx, FIND_HOLDER_OF, [org_id, id]);
  return row ?? null;
}

const LOCK_TOKEN = `
  select t.member_id, t.name, t.created_by is null as made_by_pawl, t.confined_to is not null as confined,
    t.revoked_at is not null or coalesce(t.expires_at <= now(), false) as ended,
    extract(epoch from nullif(e.first_expires_at, 'infinity') - t.created_at)::float8 * 1000 as lifetime_ms
  from pawl.token t
  cross join lateral (select coalesce(t.first_expires_at, t.expires_at) as first_expires_at) e
  where t.org_id = $1 and t.id = $2 and t.kind = 'token'
  for no key update of t`;

export type LockedToken = {
  member_id: string;
  name: string | null;
  /** Pawl created it for the admin, and finds it in a file or a variable. */
  made_by_pawl: boolean;
  confined: boolean;
  /** Revoked or expired. */
  ended: boolean;
  /** null: it does not expire. */
  lifetime_ms: number | null;
};

/** Locks a token of a program. */
export async function lockToken(tx: Tx, org_id: string, id: string): Promise<LockedToken | null> {
  const [row] = await query<LockedToken>(tx, LOCK_TOKEN, [org_id, id]);
  return row ?? null;
}

const EXPIRE_TOKEN = `
  update pawl.token
  set expires_at = least(expires_at, now() + $3::float8 * interval '1 ms'),
    first_expires_at = coalesce(first_expires_at, expires_at, 'infinity')
  where org_id = $1 and id = $2`;

/** Lets a token expire after a time, unless it expires earlier. */
export async function expireToken(tx: Tx, org_id: string, id: string, in_ms: number): Promise<void> {
  await query(tx, EXPIRE_TOKEN, [org_id, id, in_ms]);
}

const REVOKE_TOKEN = `
  update pawl.token set revoked_at = coalesce(revoked_at, now()) where org_id = $1 and id = $2`;

/** Revokes a token; has no effect on a revoked one. */
export async function revokeToken(tx: Tx, org_id: string, id: string): Promise<void> {
  await query(tx, REVOKE_TOKEN, [org_id, id]);
}

const REVOKE_SETUP_TOKENS = `
  update pawl.token set revoked_at = now()
  where org_id = $1 and member_id = $2 and created_by is null and revoked_at is null and hash <> decode($3, 'hex')`;

/** Revokes all tokens that Pawl itself created for a member, except one. */
export async function revokeSetupTokens(
  tx: Tx,
  org_id: string,
  member_id: string,
  but: string,
): Promise<void> {
  await query(tx, REVOKE_SETUP_TOKENS, [org_id, member_id, but]);
}

const HAS_TOKENS = `select exists (select from pawl.token where org_id = $1) as any`;

/** Checks whether the org has ever had a token. */
export async function hasTokens(tx: Tx, org_id: string): Promise<boolean> {
  const [row] = await query<{ any: boolean }>(tx, HAS_TOKENS, [org_id]);
  return row?.any ?? false;
}
