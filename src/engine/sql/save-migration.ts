import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Migration } from "../upkeep/migrations.ts";

/** Held while migrations run: if several nodes start at once, one migrates and the others wait. */
export const LOCK_MIGRATIONS = "select pg_advisory_xact_lock(731902 + 0 /* pawl */)";

export async function lockMigrations(tx: Tx): Promise<void> {
  await query(tx, LOCK_MIGRATIONS, []);
}

const SAVE_MIGRATION = "insert into pawl.migration (owner, number, name, checksum) values ($1, $2, $3, $4)";

/** Records that a migration ran. */
export async function saveMigration(tx: Tx, { owner, number, name, checksum }: Migration): Promise<void> {
  await query(tx, SAVE_MIGRATION, [owner, number, name, checksum]);
}

const FILL_CHECKSUM = "update pawl.migration set checksum = $2 where name = $1 and checksum is null";

/** Completes the rows of migrations that ran before checksums were recorded. */
export async function fillChecksums(tx: Tx, known: readonly Migration[]): Promise<void> {
  for (const { name, checksum } of known) await query(tx, FILL_CHECKSUM, [name, checksum]);
}
