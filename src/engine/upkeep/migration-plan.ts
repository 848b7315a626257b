import { PawlError } from "../../core/index.ts";
import { readApplied } from "../sql/read-migrations.ts";
import type { AppliedMigration } from "../sql/read-migrations.ts";
import { readRights } from "../sql/read-rights.ts";
import type { Tx } from "../transaction.ts";
import { ENGINE_MIGRATIONS, hasTriggers } from "./migrations.ts";
import type { Migration, MigrationName } from "./migrations.ts";

/** The steps that bring a schema up to date. */
export type MigrationPlan = {
  applied: AppliedMigration[];
  /** Statements that create the schema and its table of migrations, as far as they are missing. */
  preparation: string[];
  missing: Migration[];
};

/** The table in which migrations are recorded. It is created before the first of them. */
export const CREATE_MIGRATION_TABLE = `create table pawl.migration (
  owner text not null, number integer not null, name text not null, applied_at timestamptz not null default now(),
  checksum text, constraint migration_pkey primary key (owner, number))`;

/** Compares a database with the known migrations, without changing it. Throws if the database is newer than this code. */
export async function readPlan(tx: Tx, known: readonly Migration[], triggers = true): Promise<MigrationPlan> {
  const { has_schema, has_migrations, has_checksums } = await readRights(tx);
  const applied = has_migrations ? await readApplied(tx) : [];
  refuseUnknown(applied, known);
  const done = new Set(applied.map(({ name }) => name));
  return {
    applied,
    preparation: [
      // "if not exists" would require the CREATE privilege even if the object exists.
      ...(has_schema ? [] : ["create schema pawl"]),
      ...(has_migrations ? [] : [CREATE_MIGRATION_TABLE]),
      ...(has_migrations && !has_checksums ? ["alter table pawl.migration add column checksum text"] : []),
    ],
    missing: known.filter((migration) => !done.has(migration.name) && (triggers || !hasTriggers(migration))),
  };
}

function refuseUnknown(applied: readonly MigrationName[], known: readonly MigrationName[]): void {
  const [beyond] = unknownIn(applied, known);
  if (!beyond) return;
  const isOfPawl = beyond.owner === ENGINE_MIGRATIONS.owner;
  throw new PawlError(
    "DATABASE_UNUSABLE",
    isOfPawl
      ? `The database is at migration ${beyond.name}, which this version of Pawl does not know; run a newer Pawl, or use another database.`
      : `The database is at migration ${beyond.name}, which this version of the plugin "${beyond.owner}" does not have; run a newer one, restore a file that was renamed, or use another database.`,
  );
}

/** Returns applied migrations that are unknown here. Unknown owners do not count: other nodes may have other plugins. */
export function unknownIn<Applied extends MigrationName>(
  applied: readonly Applied[],
  known: readonly MigrationName[],
): Applied[] {
  const names = new Set(known.map(({ name }) => name));
  const owners = new Set(known.map(({ owner }) => owner));
  return applied.filter(({ owner, name }) => owners.has(owner) && !names.has(name));
}
