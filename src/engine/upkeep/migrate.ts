import { PawlError } from "../../core/index.ts";
import { isMistakeInSql, schemaOf, unusable } from "../../postgres/index.ts";
import type { DriverTransaction, Sql } from "../../postgres/index.ts";
import { readRights } from "../sql/read-rights.ts";
import { fillChecksums, lockMigrations, saveMigration } from "../sql/save-migration.ts";
import { confine } from "./confine-migrations.ts";
import { readPlan } from "./migration-plan.ts";
import { ENGINE_MIGRATIONS, readMigrations } from "./migrations.ts";
import type { Migration, MigrationSource } from "./migrations.ts";
import { missingRights } from "./rights.ts";

export type MigrateOptions = {
  /** Whether to create triggers; Citus does not support them. */
  triggers?: boolean;
  /** The migrations of the engine and of the plugins. */
  sources?: readonly MigrationSource[];
};

/**
 * Brings the schema up to the newest migrations, in one transaction; returns the names of those it ran. Refuses a schema that
 * is newer than this code, and a plugin's migration that changes anything but objects with the plugin's own prefix.
 */
export async function migrate(
  sql: Sql,
  { triggers = true, sources = [ENGINE_MIGRATIONS] }: MigrateOptions = {},
): Promise<string[]> {
  const known = await readMigrations(sources);
  // An up-to-date schema only needs the privileges to read and write its tables.
  const plan = await sql.begin("read only", (tx) => readPlan(tx, known, triggers));
  if (plan.missing.length === 0) return [];
  return sql.begin(async (tx) => {
    // Changing a large table may take any time.
    await tx`set local statement_timeout = 0`;
    await lockMigrations(tx);
    const lacking = missingRights(await readRights(tx), { migrates: true });
    if (lacking) throw lacking;
    const { preparation, missing } = await readPlan(tx, known, triggers);
    for (const statement of preparation) await tx.unsafe(statement);
    for (const migration of missing) await run(tx, migration, schemaOf(sql));
    await fillChecksums(tx, known);
    return missing.map(({ name }) => name);
  });
}

/** Throws DATABASE_UNUSABLE if the schema lacks a migration; for a process that may not migrate. */
export async function requireMigrated(sql: Sql, sources: readonly MigrationSource[]): Promise<void> {
  const known = await readMigrations(sources);
  const missing = await sql.begin("read only", async (tx) => {
    const lacking = missingRights(await readRights(tx), { migrates: false });
    if (lacking) throw lacking;
    return (await readPlan(tx, known)).missing;
  });
  if (missing.length === 0) return;
  const [first, ...others] = missing.map(({ name }) => name);
  const list = `${first ?? ""}${others.length === 0 ? "" : ` and ${others.length} more`}`;
  throw unusable(
    `Schema ${schemaOf(sql)} lacks the migration ${list}, and this process does not migrate (PAWL_MIGRATE=false, migrate: false); run \`pawl migrate\` as the owner of the schema.`,
  );
}

async function run(tx: DriverTransaction, migration: Migration, schema: string): Promise<void> {
  const { owner, name, text } = migration;
  if (owner === ENGINE_MIGRATIONS.owner) await tx.unsafe(text);
  else await confine(tx, { owner, name, schema }, () => runOfPlugin(tx, owner, name, text));
  await saveMigration(tx, migration);
}

async function runOfPlugin(tx: DriverTransaction, owner: string, name: string, text: string): Promise<void> {
  try {
    await tx.unsafe(text);
  } catch (error) {
    // A missing privilege or a lost connection is not a mistake in the file.
    if (!isMistakeInSql(error)) throw error;
    throw new PawlError(
      "INVALID_LIFECYCLE",
      `Plugin "${owner}": migration ${name} failed: ${error.message}; nothing of it was applied. Correct the file.`,
      {},
      { cause: error },
    );
  }
}
