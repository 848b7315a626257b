import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Reads only the catalogue: functions such as `to_regclass` fail without USAGE on the schema. Names are quoted for use in a
// GRANT. The table of migrations needs only SELECT, since an up-to-date schema is not migrated.
const READ_RIGHTS = `
  select quote_ident('pawl'::name) as schema, quote_ident(current_user) as role, quote_ident(current_database()) as database,
    quote_ident(pg_get_userbyid(n.nspowner)) as owner,
    has_database_privilege(current_database(), 'CREATE') as creates_schema,
    n.oid is not null as has_schema,
    coalesce(has_schema_privilege(n.oid, 'USAGE'), false) as uses_schema,
    coalesce(has_schema_privilege(n.oid, 'CREATE'), false) as creates_tables,
    exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'migration') as has_migrations,
    exists (select from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
      where c.relnamespace = n.oid and c.relname = 'migration' and a.attname = 'checksum') as has_checksums,
    coalesce((select bool_and(pg_has_role(c.relowner, 'USAGE')) from pg_catalog.pg_class c
      where c.relnamespace = n.oid and c.relkind in ('r', 'p')), true) as owns_tables,
    array(select p.name from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) with ordinality as p (name, place)
      where exists (select from pg_catalog.pg_class c
        where c.relnamespace = n.oid and c.relkind in ('r', 'p') and (c.relname <> 'migration' or p.name = 'SELECT')
          and not has_table_privilege(c.oid, p.name))
      order by p.place) as lacking
  from (select) as one left join pg_catalog.pg_namespace n on n.nspname = 'pawl'::name`;

/** Privileges of the connected role on Pawl's schema. */
export type RightsRow = {
  /** Name of the schema. */
  schema: string;
  role: string;
  database: string;
  /** Owner of the schema; null if it does not exist. */
  owner: string | null;
  creates_schema: boolean;
  has_schema: boolean;
  uses_schema: boolean;
  creates_tables: boolean;
  has_migrations: boolean;
  /** Whether the table of migrations records checksums. */
  has_checksums: boolean;
  owns_tables: boolean;
  /** Privileges that the role lacks on at least one table. */
  lacking: string[];
};

export async function readRights(tx: Tx): Promise<RightsRow> {
  const [row] = await query<RightsRow>(tx, READ_RIGHTS, []);
  if (!row) throw new Error("the database did not answer");
  return row;
}
