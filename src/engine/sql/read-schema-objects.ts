import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

/** An object of the database that a migration can create, change or drop. */
export type SchemaObject = { kind: string; name: string; definition: string };

// Constraints and triggers have their own names, because a plugin may add them to tables of the engine. Columns are prefixed by
// their table, because it may not add those; so are rules and policies, which change what Pawl reads and writes.
const READ_DEFINITIONS = `
  select case c.relkind when 'i' then 'index' when 'v' then 'view' when 'S' then 'sequence' when 'c' then 'type' else 'table' end
    as kind,
    c.relname::text as name,
    case c.relkind when 'i' then pg_get_indexdef(c.oid) when 'v' then pg_get_viewdef(c.oid)
      else concat(c.relkind, c.reloptions, c.relrowsecurity, c.relforcerowsecurity) end as definition
  from pg_catalog.pg_class c
  where c.relnamespace = 'pawl'::regnamespace and c.relkind in ('r', 'p', 'i', 'v', 'm', 'S', 'f', 'c')
  union all
  select 'rule', concat(c.relname, '.', r.rulename), pg_get_ruledef(r.oid)
  from pg_catalog.pg_rewrite r join pg_catalog.pg_class c on c.oid = r.ev_class
  where c.relnamespace = 'pawl'::regnamespace and r.rulename <> '_RETURN'
  union all
  select 'policy', concat(c.relname, '.', p.polname),
    concat(p.polcmd, p.polpermissive, p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
  from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid
  where c.relnamespace = 'pawl'::regnamespace
  union all
  select 'column', c.relname || '.' || a.attname,
    concat(format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, a.attidentity, pg_get_expr(d.adbin, d.adrelid))
  from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = 'pawl'::regnamespace and c.relkind in ('r', 'p')
  union all
  select 'function', p.proname, concat(pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid), p.provolatile,
    p.prosecdef, p.prosrc, pg_get_function_sqlbody(p.oid))
  from pg_catalog.pg_proc p where p.pronamespace = 'pawl'::regnamespace
  union all
  select 'constraint', k.conname, pg_get_constraintdef(k.oid)
  from pg_catalog.pg_constraint k where k.connamespace = 'pawl'::regnamespace and k.contype <> 'n' and k.conparentid = 0
  union all
  select 'trigger', t.tgname, concat(pg_get_triggerdef(t.oid), t.tgenabled)
  from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
  where c.relnamespace = 'pawl'::regnamespace and not t.tgisinternal
  union all
  select 'type', t.typname, concat(t.typtype, array(
    select e.enumlabel from pg_catalog.pg_enum e where e.enumtypid = t.oid order by e.enumsortorder))
  from pg_catalog.pg_type t where t.typnamespace = 'pawl'::regnamespace and t.typtype in ('e', 'd')`;

/** Reads the definitions of all objects of the schema. */
export function readDefinitions(tx: Tx): Promise<SchemaObject[]> {
  return query<SchemaObject>(tx, READ_DEFINITIONS, []);
}

const READ_SCRATCH_DEFINITIONS = READ_DEFINITIONS.replaceAll("'pawl'::regnamespace", "pg_my_temp_schema()");

/** Reads the definitions of all objects in the session's temporary schema. */
export function readScratchDefinitions(tx: Tx): Promise<SchemaObject[]> {
  return query<SchemaObject>(tx, READ_SCRATCH_DEFINITIONS, []);
}

// The count of written rows is that of this transaction; a new file means that the table was emptied.
const READ_SCHEMA_OBJECTS = `${READ_DEFINITIONS}
  union all
  select 'table', c.relname, concat(c.relowner, c.relacl, c.relfilenode)
  from pg_catalog.pg_class c
  where c.relnamespace = 'pawl'::regnamespace and c.relkind in ('r', 'p', 'm', 'S', 'f')
  union all
  select 'rows of table', s.relname, (s.n_tup_ins + s.n_tup_upd + s.n_tup_del)::text
  from pg_catalog.pg_stat_xact_user_tables s where s.schemaname = 'pawl'::name
  union all
  select 'rows of table', concat(s.schemaname, '.', s.relname), ''
  from pg_catalog.pg_stat_xact_user_tables s
  where s.schemaname not in ('pawl'::name, 'pg_toast') and s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0`;

/** Reads every object of the schema with its definition, its owner, and the rows that this transaction has changed. */
export function readSchemaObjects(tx: Tx): Promise<SchemaObject[]> {
  return query<SchemaObject>(tx, READ_SCHEMA_OBJECTS, []);
}

const READ_OUTSIDE_OBJECTS = `
  select 'table or index' as kind, c.oid::regclass::text as name, concat('class ', c.oid) as definition
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname <> 'pawl'::name and n.nspname !~ '^pg_'
  union all
  select 'function', p.oid::regproc::text, concat('function ', p.oid)
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where n.nspname <> 'pawl'::name and n.nspname !~ '^pg_'
  union all
  select 'schema', n.nspname, concat('schema ', n.oid) from pg_catalog.pg_namespace n
  where n.nspname <> 'pawl'::name and n.nspname !~ '^pg_'`;

/** Reads the tables, indexes, functions and schemas of others in this database. */
export function readOutsideObjects(tx: Tx): Promise<SchemaObject[]> {
  return query<SchemaObject>(tx, READ_OUTSIDE_OBJECTS, []);
}

const READ_OUTSIDE_CHANGES = `
  select 'table or index' as kind, c.oid::regclass::text as name, '' as definition
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname not in ('pawl'::name, 'pg_toast') and c.xmin = pg_current_xact_id()::xid
  union all
  select 'function', p.oid::regproc::text, ''
  from pg_catalog.pg_proc p
  where p.pronamespace <> 'pawl'::regnamespace and p.xmin = pg_current_xact_id()::xid
  union all
  select 'schema', n.nspname, ''
  from pg_catalog.pg_namespace n
  where n.nspname <> 'pawl'::name and n.xmin = pg_current_xact_id()::xid`;

/** Reads the objects that this transaction created or changed outside of the schema. */
export function readOutsideChanges(tx: Tx): Promise<SchemaObject[]> {
  return query<SchemaObject>(tx, READ_OUTSIDE_CHANGES, []);
}
