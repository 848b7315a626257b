import { v7 as uuidv7 } from "uuid";
import { PawlError } from "../../core/index.ts";
import type { Sql } from "../../postgres/index.ts";
import { createOrg, listOrgs } from "./members.ts";
import { lockText } from "../sql/advisory-locks.ts";
import { addMember, changeMember, findMember } from "../sql/members.ts";
import type { MemberRow } from "../sql/members.ts";
import { deleteLoginCodes } from "../sql/login-codes.ts";
import { endSessionsOf } from "../sql/sessions.ts";
import { hasTokens, revokeSetupTokens, saveToken } from "../sql/tokens.ts";
import { hashOfToken, makeToken, orgOfToken } from "./tokens.ts";
import { transact } from "../transact.ts";
import type { Tx } from "../transaction.ts";

const ADMIN: MemberRow = {
  id: "admin",
  name: "admin",
  kind: "human",
  roles: ["admin"],
  project_ids: null,
  skill_level: null,
  specializations: [],
  active: true,
};

const TIMEOUTS = { retryTimeoutMs: 10_000, statementTimeoutMs: 30_000 };

/** Stores the admin's token on the machine of the database. */
export type TokenStore = { read: () => Promise<string | null>; write: (token: string) => Promise<void> };

/** Creates an admin with a token for an org that never had one; if several nodes start at once, only one creates it. */
export async function ensureAdmin(
  sql: Sql,
  org_id: string,
  keeping: TokenStore,
): Promise<"made" | "there already"> {
  return transact(sql, TIMEOUTS, async (tx) => {
    await lockText(tx, `${org_id} admin`);
    if (await hasTokens(tx, org_id)) return "there already";
    // The file is written before the commit: if this is interrupted, the next start finds the token there and saves it.
    const kept = await keeping.read();
    const token = kept !== null && orgOfToken(kept) === org_id ? kept : makeToken(org_id);
    await keeping.write(token);
    await addMember(tx, org_id, ADMIN);
    await saveAdminToken(tx, org_id, token);
    return "made";
  });
}

/** Sets a token that the operator chose as the admin's, and revokes those that Pawl created. */
export async function setAdminToken(sql: Sql, org_id: string, token: string): Promise<void> {
  if (orgOfToken(token) !== org_id)
    throw new PawlError(
      "INVALID_CONFIG",
      `This token belongs to the org "${orgOfToken(token)}", not to "${org_id}".`,
    );
  await transact(sql, TIMEOUTS, async (tx) => {
    await lockText(tx, `${org_id} admin`);
    await addMember(tx, org_id, ADMIN);
    await saveAdminToken(tx, org_id, token);
  });
}

/** Creates a new token for the member `admin`, restores its role, and revokes its sessions, its links and the tokens that Pawl created before. */
export async function resetAdmin(sql: Sql, org_id: string): Promise<string> {
  if (!(await listOrgs(sql)).includes(org_id))
    throw new PawlError("NOT_FOUND", `There is no org "${org_id}".`, { id: org_id });
  const token = makeToken(org_id);
  await transact(sql, TIMEOUTS, async (tx) => {
    await lockText(tx, `${org_id} admin`);
    await addMember(tx, org_id, ADMIN);
    const member = (await findMember(tx, org_id, ADMIN.id)) ?? ADMIN;
    const roles = [...new Set([...member.roles, "admin"])];
    await changeMember(tx, org_id, { ...member, roles, project_ids: null, active: true });
    await saveAdminToken(tx, org_id, token);
    // In this order: the deletion waits for a link that is being used, and its session is ended too.
    await deleteLoginCodes(tx, org_id, ADMIN.id);
    await endSessionsOf(tx, org_id, ADMIN.id);
  });
  return token;
}

/** Creates an org with the project `main` and an admin, and returns the admin's token. */
export async function createOrgWithAdmin(sql: Sql, id: string): Promise<string> {
  if ((await listOrgs(sql)).includes(id))
    throw new PawlError("ALREADY_EXISTS", `The org "${id}" already exists.`, { id });
  await createOrg(sql, id);
  return resetAdmin(sql, id);
}

async function saveAdminToken(tx: Tx, org_id: string, token: string): Promise<void> {
  const hash = hashOfToken(token);
  const holder = await saveToken(tx, org_id, {
    id: uuidv7(),
    member_id: ADMIN.id,
    hash,
    created_by: null,
  });
  if (holder !== ADMIN.id)
    throw new PawlError("INVALID_CONFIG", `This token belongs to the member "${holder}"; choose another.`);
  await revokeSetupTokens(tx, org_id, ADMIN.id, hash);
}
