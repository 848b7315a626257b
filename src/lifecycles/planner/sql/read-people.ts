import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Uses the index of assigned unfinished tasks.
const READ_OPEN_WORK = `
  select t.id, t.project_id, t.title, t.status, t.assigned_to, t.exclusive_key from pawl.task t
  where t.org_id = $1 and t.assigned_to = any($2::text[]) and not t.final
    and t.lifecycle = 'planner' and t.status in ('assigned', 'in_progress')
  order by t.id`;

export type OpenWork = {
  id: string;
  project_id: string;
  title: string;
  status: string;
  assigned_to: string;
  exclusive_key: string | null;
};

/** Reads the tasks that members own in assigned or in_progress. */
export function readOpenWork(tx: Tx, org_id: string, members: readonly string[]): Promise<OpenWork[]> {
  return members.length === 0 ? Promise.resolve([]) : query(tx, READ_OPEN_WORK, [org_id, members]);
}

const READ_PEOPLE = `
  select m.id, m.active, m.roles, m.specializations, m.project_ids from pawl.member m
  where m.org_id = $1 and m.id = any($2::text[])`;

export type Person = {
  id: string;
  active: boolean;
  roles: string[];
  specializations: string[];
  project_ids: string[] | null;
};

export async function readPeople(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, Person>> {
  if (ids.length === 0) return new Map();
  const rows = await query<Person>(tx, READ_PEOPLE, [org_id, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns those members who are active and may work in the project. */
export async function activeMembers(
  tx: Tx,
  org_id: string,
  project_id: string,
  members: readonly string[],
): Promise<string[]> {
  const people = await readPeople(tx, org_id, members);
  return members.filter((id) => {
    const person = people.get(id);
    return person?.active && (person.project_ids?.includes(project_id) ?? true);
  });
}
