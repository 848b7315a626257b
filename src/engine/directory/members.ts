import { PawlError } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import type { Sql } from "../../postgres/index.ts";
import type { MemberRow } from "../sql/members.ts";
import { query } from "../transaction.ts";

const CREATE_FIRST_PROJECT = `
  insert into pawl.project (org_id, id, name) values ($1, 'main', 'main') on conflict do nothing`;

const FIND_MEMBER = `
  select m.id, m.name, m.kind, m.roles, m.project_ids, m.skill_level, m.specializations, m.active
  from pawl.member m where m.org_id = $1 and m.id = $2`;

/** Creates an org with its first project, `main`; an existing org is not changed. */
export async function createOrg(sql: Sql, id: string): Promise<void> {
  await query(sql, "insert into pawl.org (id) values ($1) on conflict do nothing", [id]);
  await query(sql, CREATE_FIRST_PROJECT, [id]);
}

export async function listOrgs(sql: Sql): Promise<string[]> {
  const rows = await query<{ id: string }>(sql, "select o.id from pawl.org o order by o.id", []);
  return rows.map((row) => row.id);
}

/** Returns a member as an actor; throws if the member is unknown or inactive. */
export async function findActor(sql: Sql, org_id: string, id: string): Promise<Actor> {
  const [member] = await query<MemberRow>(sql, FIND_MEMBER, [org_id, id]);
  if (!member) throw new PawlError("NOT_FOUND", `There is no member "${id}".`);
  if (!member.active) throw new PawlError("MEMBER_INACTIVE", `The member "${id}" is inactive.`);
  const { active: _, ...actor } = member;
  return actor;
}
