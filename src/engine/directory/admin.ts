import { v7 as uuidv7 } from "uuid";
import { PawlError } from "../../core/index.ts";
import type { Sql } from "../../postgres/index.ts";
import { createOrg, listOrgs } from "./members.ts";
import { holdMark } from "../sql/hold-mark.ts";
import { addMember, changeMember, findMember } from "../sql/members.ts";
import type { MemberRow } from "../sql/members.ts";
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

const PATIENCE = { patienceMs: 10_000, statementTimeoutMs: 30_000 };

/** Where the machine that holds the database keeps the admin's token. */
export type Keeping = { read: () => Promise<string | null>; write: (token: string) => Promise<void> };

/** An org that never had a token gets an admin and one; of several nodes that start at once, one of them makes it. */
export async function ensureAdmin(
  sql: Sql,
  org_id: string,
  keeping: Keeping,
): Promise<"made" | "there already"> {
  return transact(sql, PATIENCE, async (tx) => {
    await holdMark(tx, `${org_id} admin`);
    if (await hasTokens(tx, org_id)) return "there already";
    // Written before it is known: if this is cut short, the next start finds it and makes it known.
    const kept = await keeping.read();
    const token = kept !== null && orgOfToken(kept) === org_id ? kept : makeToken(org_id);
    await keeping.write(token);
    await addMember(tx, org_id, ADMIN);
    await know(tx, org_id, token);
    return "made";
  });
}

/** Makes a token of the operator's own the admin's, in place of those that Pawl has made before. */
export async function setAdminToken(sql: Sql, org_id: string, token: string): Promise<void> {
  if (orgOfToken(token) !== org_id)
    throw new PawlError(
      "INVALID_CONFIG",
      `This token is of the org "${orgOfToken(token)}", not of "${org_id}".`,
    );
  await transact(sql, PATIENCE, async (tx) => {
    await holdMark(tx, `${org_id} admin`);
    await addMember(tx, org_id, ADMIN);
    await know(tx, org_id, token);
  });
}

/** A new token for the admin, who is admin again if he was not; the ones that Pawl made before are refused from now on. */
export async function resetAdmin(sql: Sql, org_id: string): Promise<string> {
  if (!(await listOrgs(sql)).includes(org_id))
    throw new PawlError("NOT_FOUND", `There is no org "${org_id}".`, { id: org_id });
  const token = makeToken(org_id);
  await transact(sql, PATIENCE, async (tx) => {
    await holdMark(tx, `${org_id} admin`);
    await addMember(tx, org_id, ADMIN);
    const member = (await findMember(tx, org_id, ADMIN.id)) ?? ADMIN;
    const roles = [...new Set([...member.roles, "admin"])];
    await changeMember(tx, org_id, { ...member, roles, project_ids: null, active: true });
    await know(tx, org_id, token);
  });
  return token;
}

/** A new org with its project `main`, its admin and his token. */
export async function createOrgWithAdmin(sql: Sql, id: string): Promise<string> {
  if ((await listOrgs(sql)).includes(id))
    throw new PawlError("ALREADY_EXISTS", `There is an org "${id}" already.`, { id });
  await createOrg(sql, id);
  return resetAdmin(sql, id);
}

async function know(tx: Tx, org_id: string, token: string): Promise<void> {
  const hash = hashOfToken(token);
  const holder = await saveToken(tx, org_id, {
    id: uuidv7(),
    member_id: ADMIN.id,
    hash,
    created_by: null,
  });
  if (holder !== ADMIN.id)
    throw new PawlError("INVALID_CONFIG", `This token is that of the member "${holder}"; choose another.`);
  await revokeSetupTokens(tx, org_id, ADMIN.id, hash);
}
