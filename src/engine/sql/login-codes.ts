import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const SAVE_LOGIN_CODE = `
  insert into pawl.login_code (org_id, id, member_id, hash, created_by, expires_at)
  values ($1, $2, $3, decode($4, 'hex'), $5, now() + $6::float8 * interval '1 ms')
  returning expires_at`;

export type NewLoginCode = {
  id: string;
  member_id: string;
  hash: string;
  created_by: string | null;
  expires_in_ms: number;
};

/** Saves a one-time code and returns when it expires. */
export async function saveLoginCode(tx: Tx, org_id: string, code: NewLoginCode): Promise<Instant> {
  const { id, member_id, hash, created_by, expires_in_ms } = code;
  const params = [org_id, id, member_id, hash, created_by, expires_in_ms];
  const [row] = await query<{ expires_at: Instant }>(tx, SAVE_LOGIN_CODE, params);
  return (row as { expires_at: Instant }).expires_at;
}

// A concurrent use waits for the row lock, and then finds the code used. The same session may use it again, because its
// transaction is repeated if the connection is lost.
const USE_LOGIN_CODE = `
  update pawl.login_code c set used_at = now(), session_id = $3
  from pawl.member m
  where c.org_id = $1 and c.hash = decode($2, 'hex') and (c.used_at is null or c.session_id = $3)
    and c.expires_at > now() and m.org_id = c.org_id and m.id = c.member_id and m.active
  returning c.member_id`;

/** Uses a code for a session and returns its member; null if it is unknown, used or expired, or its member inactive. */
export async function useLoginCode(
  tx: Tx,
  org_id: string,
  hash: string,
  session_id: string,
): Promise<string | null> {
  const [row] = await query<{ member_id: string }>(tx, USE_LOGIN_CODE, [org_id, hash, session_id]);
  return row?.member_id ?? null;
}

const FIND_LOGIN_CODE = `
  select c.member_id, c.used_at is not null as used, m.active
  from pawl.login_code c join pawl.member m on m.org_id = c.org_id and m.id = c.member_id
  where c.org_id = $1 and c.hash = decode($2, 'hex')`;

export type LoginCodeRow = { member_id: string; used: boolean; active: boolean };

export async function findLoginCode(tx: Tx, org_id: string, hash: string): Promise<LoginCodeRow | null> {
  const [row] = await query<LoginCodeRow>(tx, FIND_LOGIN_CODE, [org_id, hash]);
  return row ?? null;
}

const DELETE_LOGIN_CODES = `
  delete from pawl.login_code
  where org_id = $1 and (expires_at < now() - interval '1 day' or ($2::text is not null and member_id = $2))`;

/** Deletes codes that expired a day ago, and all of one member if it is given. */
export async function deleteLoginCodes(tx: Tx, org_id: string, member_id: string | null): Promise<void> {
  await query(tx, DELETE_LOGIN_CODES, [org_id, member_id]);
}
