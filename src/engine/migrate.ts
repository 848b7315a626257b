import { PawlError } from "../core/index.ts";
import type { Sql } from "./database/connect.ts";
import { ENGINE_MIGRATIONS, isDefence, readMigrations } from "./migrations.ts";

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
  return sql.begin(async (tx) => {
    // A change of a large table takes as long as it takes.
    await tx`set local statement_timeout = 0`;
    await tx`select pg_advisory_xact_lock(${MIGRATING})`;
    await tx`create schema if not exists pawl`;
    await tx`create table if not exists pawl.migration (
      number integer constraint a_migration_runs_once primary key, name text not null, applied_at timestamptz not null default now())`;
    const applied = await tx<
      { number: number; name: string }[]
    >`select number, name from pawl.migration order by number`;
    const newest = known.at(-1)?.number ?? 0;
    const beyond = applied.find(({ number }) => number > newest);
    if (beyond) {
      throw new PawlError(
        "DATABASE_UNUSABLE",
        `The database is at migration ${beyond.name}, which this version of Pawl does not know; run a newer Pawl, or name another database.`,
      );
    }
    const done = new Set(applied.map(({ number }) => number));
    const missing = known.filter(({ number, name }) => !done.has(number) && (defences || !isDefence(name)));
    for (const { number, name, text } of missing) {
      await tx.unsafe(text);
      await tx`insert into pawl.migration (number, name) values (${number}, ${name})`;
    }
    return missing.map(({ name }) => name);
  });
}
