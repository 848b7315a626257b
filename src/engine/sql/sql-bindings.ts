import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

/** A SQL role that may act as a member in `pawl.enqueue`. */
export type BindingRow = {
  role_name: string;
  member_id: string;
  created_by: string | null;
  created_at: Instant;
};

const LIST_BINDINGS = `
  select b.role_name, b.member_id, b.created_by, b.created_at
  from pawl.sql_binding b
  where b.org_id = $1
  order by b.role_name, b.member_id
  limit $2`;

export function listBindings(tx: Tx, org_id: string, limit: number): Promise<BindingRow[]> {
  return query<BindingRow>(tx, LIST_BINDINGS, [org_id, limit]);
}

const ADD_BINDING = `
  insert into pawl.sql_binding as b (org_id, role_name, member_id, created_by) values ($1, $2, $3, $4)
  on conflict on constraint sql_binding_pkey do update set role_name = b.role_name
  returning b.role_name, b.member_id, b.created_by, b.created_at`;

/** Adds a binding; an existing one is returned unchanged. */
export async function addBinding(
  tx: Tx,
  org_id: string,
  { role_name, member_id, created_by }: Omit<BindingRow, "created_at">,
): Promise<BindingRow> {
  const [row] = await query<BindingRow>(tx, ADD_BINDING, [org_id, role_name, member_id, created_by]);
  return row as BindingRow;
}

const REMOVE_BINDING = `
  delete from pawl.sql_binding b where b.org_id = $1 and b.role_name = $2 and b.member_id = $3 returning b.role_name`;

/** Removes a binding; returns false if there is none. */
export async function removeBinding(
  tx: Tx,
  org_id: string,
  { role_name, member_id }: Pick<BindingRow, "role_name" | "member_id">,
): Promise<boolean> {
  return (await query(tx, REMOVE_BINDING, [org_id, role_name, member_id])).length > 0;
}

const HAS_SQL_ROLE = `select exists (select from pg_catalog.pg_roles r where r.rolname = $1::text) as found`;

/** Checks whether the database server has a role. */
export async function hasSqlRole(tx: Tx, role_name: string): Promise<boolean> {
  const [row] = await query<{ found: boolean }>(tx, HAS_SQL_ROLE, [role_name]);
  return row?.found ?? false;
}
