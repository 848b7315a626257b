import { queryOutsideTransaction } from "../query-outside-transaction.ts";
import type { Sql } from "../../postgres/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// The conflict is a repetition: the transaction is retried if the connection is lost.
const SAVE_SESSION = `
  insert into pawl.token (org_id, id, kind, member_id, hash, created_by, parent_id, user_agent, last_used_at, expires_at)
  values ($1, $2, 'session', $3, decode($4, 'hex'), $3, $5, $6, now(), now() + $7::float8 * interval '1 ms')
  on conflict on constraint token_hash_unique do nothing`;

export type NewSession = {
  id: string;
  member_id: string;
  hash: string;
  /** The token that the session was started with. */
  parent_id: string | null;
  user_agent: string | null;
  expires_in_ms: number;
};

export async function saveSession(tx: Tx, org_id: string, session: NewSession): Promise<void> {
  const { id, member_id, hash, parent_id, user_agent, expires_in_ms } = session;
  await query(tx, SAVE_SESSION, [org_id, id, member_id, hash, parent_id, user_agent, expires_in_ms]);
}

const END_SESSION = `
  update pawl.token set revoked_at = now()
  where org_id = $1 and hash = decode($2, 'hex') and kind = 'session' and revoked_at is null`;

/** Ends the session with this secret; has no effect on tokens of programs. */
export async function endSession(tx: Tx, org_id: string, hash: string): Promise<void> {
  await query(tx, END_SESSION, [org_id, hash]);
}

const END_SESSIONS_OF = `
  update pawl.token set revoked_at = now()
  where org_id = $1 and member_id = $2 and kind = 'session' and revoked_at is null
  returning id`;

/** Ends all sessions of a member and returns their number. */
export async function endSessionsOf(tx: Tx, org_id: string, member_id: string): Promise<number> {
  return (await query(tx, END_SESSIONS_OF, [org_id, member_id])).length;
}

const DELETE_ENDED_SESSIONS = `
  delete from pawl.token
  where org_id = $1 and member_id = $2 and kind = 'session'
    and least(revoked_at, expires_at) < now() - interval '30 days'`;

/** Deletes a member's sessions that ended a month ago. */
export async function deleteEndedSessions(tx: Tx, org_id: string, member_id: string): Promise<void> {
  await query(tx, DELETE_ENDED_SESSIONS, [org_id, member_id]);
}

// Rows that another node is writing are skipped: it writes the same.
const TOUCH_TOKENS = `
  update pawl.token set last_used_at = now()
  where org_id = $1 and id = any(array(
    select t.id from pawl.token t
    where t.org_id = $1 and t.id = any($2::uuid[])
      and (t.last_used_at is null or t.last_used_at < now() - interval '50 seconds')
    for no key update skip locked))`;

/** Records that tokens were used now. */
export async function touchTokens(
  sql: Sql,
  timeoutMs: number,
  org_id: string,
  ids: readonly string[],
): Promise<void> {
  await queryOutsideTransaction(sql, timeoutMs, TOUCH_TOKENS, [org_id, ids]);
}
