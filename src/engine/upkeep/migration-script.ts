import { schemaOf, textInSchema } from "../../postgres/index.ts";
import type { Sql } from "../../postgres/index.ts";
import { LOCK_MIGRATIONS } from "../sql/save-migration.ts";
import { readPlan } from "./migration-plan.ts";
import { readMigrations } from "./migrations.ts";
import type { Migration, MigrationSource } from "./migrations.ts";

/** Returns the SQL that `migrate` would run, as a script for psql; null if the schema is up to date. */
export async function migrationScript(sql: Sql, sources: readonly MigrationSource[]): Promise<string | null> {
  const known = await readMigrations(sources);
  const { preparation, missing } = await sql.begin("read only", (tx) => readPlan(tx, known));
  if (missing.length === 0) return null;
  const statements = [
    "begin",
    "set local statement_timeout = 0",
    LOCK_MIGRATIONS,
    ...preparation,
    ...missing.flatMap((migration) => [
      `\n-- ${migration.name}\n\n${migration.text.trim()}`,
      recordOf(migration),
    ]),
    ...known.map(
      ({ name, checksum }) =>
        `update pawl.migration set checksum = ${literal(checksum)} where name = ${literal(name)} and checksum is null`,
    ),
    "commit",
  ];
  const head = `-- Migrates the schema ${schemaOf(sql)}. Run it as the owner of the schema: psql -v ON_ERROR_STOP=1`;
  return textInSchema(sql, [head, ...statements.map((text) => `${text.replace(/;$/, "")};`), ""].join("\n"));
}

function recordOf({ owner, number, name, checksum }: Migration): string {
  const values = [literal(owner), number, literal(name), literal(checksum)].join(", ");
  return `\ninsert into pawl.migration (owner, number, name, checksum) values (${values})`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
