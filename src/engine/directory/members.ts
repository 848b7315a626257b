import { PawlError } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import type { Sql } from "../../postgres/index.ts";
import type { MemberRow } from "../sql/members.ts";

/** Creates an org with its first project, `main`; an existing org is not changed. */
export async function createOrg(sql: Sql, id: string): Promise<void> {
  await sql`insert into pawl.org (id) values (${id}) on conflict do nothing`;
  await sql`insert into pawl.project (org_id, id, name) values (${id}, 'main', 'main') on conflict do nothing`;
}

export async function listOrgs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select o.id from pawl.org o order by o.id`;
  return rows.map((row) => row.id);
}

/** Returns a member as an actor; throws if the member is unknown or inactive. */
export async function findActor(sql: Sql, org_id: string, id: string): Promise<Actor> {
  const [member] = await sql<MemberRow[]>`
    select m.id, m.name, m.kind, m.roles, m.project_ids, m.skill_level, m.specializations, m.active
    from pawl.member m where m.org_id = ${org_id} and m.id = ${id}`;
  if (!member) throw new PawlError("NOT_FOUND", `There is no member "${id}".`);
  if (!member.active) throw new PawlError("MEMBER_INACTIVE", `The member "${id}" is inactive.`);
  const { active: _, ...actor } = member;
  return actor;
}
