import { rewriteSchema } from "../../postgres/index.ts";

/**
 * Returns the SQL that lets a role run Pawl on a migrated schema: it may read and write rows, but not change tables. The default
 * privileges cover tables of later migrations, if the role that runs the script also runs those.
 */
export function grantScript(schema: string, role: string): string {
  const to = `"${role.replaceAll('"', '""')}"`;
  return STATEMENTS.map((statement) => `${rewriteSchema(statement, schema)} ${to};\n`).join("");
}

const STATEMENTS = [
  "grant usage on schema pawl to",
  "grant select, insert, update, delete on all tables in schema pawl to",
  "revoke insert, update, delete on pawl.migration from",
  "grant usage on all sequences in schema pawl to",
  "grant execute on all functions in schema pawl to",
  "alter default privileges in schema pawl grant select, insert, update, delete on tables to",
  "alter default privileges in schema pawl grant usage on sequences to",
  "alter default privileges in schema pawl grant execute on functions to",
];
