import { PawlError } from "../../core/index.ts";
import type { Sql } from "../../postgres/index.ts";
import { ENGINE_MIGRATIONS, isDefence, readMigrations } from "./migrations.ts";
import type { Migration } from "./migrations.ts";
import { missingRights } from "./rights.ts";
import { readRights } from "../sql/read-rights.ts";
import type { Tx } from "../transaction.ts";

/** Held while migrations run: of many nodes that start at once one migrates, the others wait and find it done. */
const MIGRATING = 731_902;

export type MigrateOptions = {
  /** The database's own defences; left out where it takes no such triggers (Citus). */
  defences?: boolean;
  /** Where the migrations are: the engine's, and those of the lifecycles' own tables. */
  folders?: readonly URL[];
};

/** Brings the schema up to the newest migration, all the way or not at all; refuses a schema that is newer than this code. */
export async function migrate(
  sql: Sql,
  { defences = true, folders = [ENGINE_MIGRATIONS] }: MigrateOptions = {},
): Promise<string[]> {
  const known = await readMigrations(folders);
  const pending = async (tx: Tx) => missingOf(await appliedTo(tx), known, defences);
  // An up-to-date schema only needs the privileges to read and write its tables.
  if ((await sql.begin("read only", pending)).length === 0) return [];
  return sql.begin(async (tx) => {
    // A change of a large table takes as long as it takes.
    await tx`set local statement_timeout = 0`;
    await tx`select pg_advisory_xact_lock(${MIGRATING})`;
    const rights = await readRights(tx);
    const lacking = missingRights(rights, { migrates: true });
    if (lacking) throw lacking;
    // "if not exists" would require the CREATE privilege even if the object exists.
    if (!rights.has_schema) await tx`create schema pawl`;
    if (!rights.has_migrations)
      await tx`create table pawl.migration (
        number integer constraint a_migration_runs_once primary key, name text not null, applied_at timestamptz not null default now())`;
    const missing = await pending(tx);
    for (const { number, name, text } of missing) {
      await tx.unsafe(text);
      await tx`insert into pawl.migration (number, name) values (${number}, ${name})`;
    }
    return missing.map(({ name }) => name);
  });
}

type Applied = { number: number; name: string };

async function appliedTo(tx: Tx): Promise<Applied[]> {
  const { has_migrations } = await readRights(tx);
  if (!has_migrations) return [];
  return tx<Applied[]>`select number, name from pawl.migration order by number`;
}

function missingOf(applied: readonly Applied[], known: readonly Migration[], defences: boolean): Migration[] {
  const newest = known.at(-1)?.number ?? 0;
  const beyond = applied.find(({ number }) => number > newest);
  if (beyond) {
    throw new PawlError(
      "DATABASE_UNUSABLE",
      `The database is at migration ${beyond.name}, which this version of Pawl does not know; run a newer Pawl, or name another database.`,
    );
  }
  const done = new Set(applied.map(({ number }) => number));
  return known.filter(({ number, name }) => !done.has(number) && (defences || !isDefence(name)));
}
