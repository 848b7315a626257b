import type { MemberKind } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

export type MemberRow = {
  id: string;
  name: string;
  kind: MemberKind;
  roles: string[];
  /** null: every project of the org. */
  project_ids: string[] | null;
  skill_level: number | null;
  specializations: string[];
  active: boolean;
};

const LIST_MEMBERS = `
  select m.id, m.name, m.kind, m.roles, m.project_ids, m.skill_level, m.specializations, m.active
  from pawl.member m
  where m.org_id = $1 and ($2::text is null or m.id > $2)
  order by m.id
  limit $3`;

export function listMembers(
  tx: Tx,
  org_id: string,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<MemberRow[]> {
  return query<MemberRow>(tx, LIST_MEMBERS, [org_id, cursor, limit]);
}

const FIND_MEMBER = `
  select m.id, m.name, m.kind, m.roles, m.project_ids, m.skill_level, m.specializations, m.active
  from pawl.member m where m.org_id = $1 and m.id = $2`;

export async function findMember(tx: Tx, org_id: string, id: string): Promise<MemberRow | null> {
  const [row] = await query<MemberRow>(tx, FIND_MEMBER, [org_id, id]);
  return row ?? null;
}

const FIND_MEMBERS = `
  select m.id, m.name, m.kind, m.roles, m.project_ids, m.skill_level, m.specializations, m.active
  from pawl.member m where m.org_id = $1 and m.id = any($2::text[])`;

export function findMembers(tx: Tx, org_id: string, ids: readonly string[]): Promise<MemberRow[]> {
  return query<MemberRow>(tx, FIND_MEMBERS, [org_id, ids]);
}

// Locks all admins of the whole org as well, in the order of ids: if two admins deactivate each other at the same time, the
// second sees the change of the first.
const LOCK_MEMBER = `
  select m.id, m.name, m.kind, m.roles, m.project_ids, m.skill_level, m.specializations, m.active
  from pawl.member m
  where m.org_id = $1 and (m.id = $2 or (m.active and m.project_ids is null and 'admin' = any(m.roles)))
  order by m.id
  for no key update`;

/** Locks a member and all active admins of the whole org. */
export async function lockMember(
  tx: Tx,
  org_id: string,
  id: string,
): Promise<{ member: MemberRow | null; admins: MemberRow[] }> {
  const rows = await query<MemberRow>(tx, LOCK_MEMBER, [org_id, id]);
  return { member: rows.find((row) => row.id === id) ?? null, admins: rows.filter(isFullAdmin) };
}

/** Checks whether a member is an active admin of the whole org; each org needs at least one. */
export function isFullAdmin({ active, project_ids, roles }: MemberRow): boolean {
  return active && project_ids === null && roles.includes("admin");
}

const ADD_MEMBER = `
  insert into pawl.member (org_id, id, name, kind, roles, project_ids, skill_level, specializations, active)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict do nothing
  returning id`;

/** Adds a member; returns false if the id is taken. */
export async function addMember(tx: Tx, org_id: string, member: MemberRow): Promise<boolean> {
  return (await query(tx, ADD_MEMBER, [org_id, ...columnsOf(member)])).length > 0;
}

const CHANGE_MEMBER = `
  update pawl.member
  set name = $3, kind = $4, roles = $5, project_ids = $6, skill_level = $7, specializations = $8, active = $9
  where org_id = $1 and id = $2`;

export async function changeMember(tx: Tx, org_id: string, member: MemberRow): Promise<void> {
  await query(tx, CHANGE_MEMBER, [org_id, ...columnsOf(member)]);
}

function columnsOf(member: MemberRow): unknown[] {
  const { id, name, kind, roles, project_ids, skill_level, specializations, active } = member;
  return [id, name, kind, roles, project_ids, skill_level, specializations, active];
}
