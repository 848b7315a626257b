import { PawlError } from "../../core/index.ts";
import { isMistakeInSql } from "../../postgres/index.ts";
import type { DriverTransaction, Sql } from "../../postgres/index.ts";
import { readApplied } from "../sql/read-migrations.ts";
import { readRights } from "../sql/read-rights.ts";
import { confine } from "./confine-migrations.ts";
import { ENGINE_MIGRATIONS, hasTriggers, readMigrations } from "./migrations.ts";
import type { Migration, MigrationName, MigrationSource } from "./migrations.ts";
import { missingRights } from "./rights.ts";

/** Advisory lock held while migrations run: if several nodes start at once, one migrates and the others wait. */
const MIGRATION_LOCK = 731_902;

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
  const pending = async (tx: DriverTransaction) => missingOf(await appliedTo(tx), known, triggers);
  // An up-to-date schema only needs the privileges to read and write its tables.
  if ((await sql.begin("read only", pending)).length === 0) return [];
  return sql.begin(async (tx) => {
    // Changing a large table may take any time.
    await tx`set local statement_timeout = 0`;
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    const rights = await readRights(tx);
    const lacking = missingRights(rights, { migrates: true });
    if (lacking) throw lacking;
    // "if not exists" would require the CREATE privilege even if the object exists.
    if (!rights.has_schema) await tx`create schema pawl`;
    if (!rights.has_migrations)
      await tx`create table pawl.migration (
        owner text not null, number integer not null, name text not null, applied_at timestamptz not null default now(),
        constraint migration_pkey primary key (owner, number))`;
    const missing = await pending(tx);
    for (const migration of missing) await run(tx, migration);
    return missing.map(({ name }) => name);
  });
}

async function run(tx: DriverTransaction, { owner, number, name, text }: Migration): Promise<void> {
  if (owner === ENGINE_MIGRATIONS.owner) await tx.unsafe(text);
  else await confine(tx, { owner, name }, () => runOfPlugin(tx, owner, name, text));
  await tx`insert into pawl.migration (owner, number, name) values (${owner}, ${number}, ${name})`;
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

async function appliedTo(tx: DriverTransaction): Promise<MigrationName[]> {
  const { has_migrations } = await readRights(tx);
  return has_migrations ? readApplied(tx) : [];
}

function missingOf(
  applied: readonly MigrationName[],
  known: readonly Migration[],
  triggers: boolean,
): Migration[] {
  const beyond = unknownIn(applied, known)[0];
  if (beyond) {
    const isOfPawl = beyond.owner === ENGINE_MIGRATIONS.owner;
    throw new PawlError(
      "DATABASE_UNUSABLE",
      isOfPawl
        ? `The database is at migration ${beyond.name}, which this version of Pawl does not know; run a newer Pawl, or use another database.`
        : `The database is at migration ${beyond.name}, which this version of the plugin "${beyond.owner}" does not have; run a newer one, restore a file that was renamed, or use another database.`,
    );
  }
  const done = new Set(applied.map(({ name }) => name));
  return known.filter((migration) => !done.has(migration.name) && (triggers || !hasTriggers(migration)));
}

/** Returns applied migrations that are unknown here. Unknown owners do not count: other nodes may have other plugins. */
export function unknownIn(
  applied: readonly MigrationName[],
  known: readonly MigrationName[],
): MigrationName[] {
  const names = new Set(known.map(({ name }) => name));
  const owners = new Set(known.map(({ owner }) => owner));
  return applied.filter(({ owner, name }) => owners.has(owner) && !names.has(name));
}
