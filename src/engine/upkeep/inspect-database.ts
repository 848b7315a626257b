import { countUnfinished, countWaiting, readInboxFigures, readSweepLag } from "../sql/count-tasks.ts";
import type { InboxFigures, UnfinishedRow, WaitingRow } from "../sql/count-tasks.ts";
import { countByOrg, countStuck, readCondition } from "../sql/inspect-database.ts";
import type { ConditionRow, StuckRow } from "../sql/inspect-database.ts";
import type { Sql } from "../../postgres/index.ts";
import { readApplied } from "../sql/read-migrations.ts";
import { unknownIn } from "./migration-plan.ts";
import { hasTriggers, namesOfMigrations } from "./migrations.ts";
import type { MigrationName, MigrationSource } from "./migrations.ts";
import { missingRights } from "./rights.ts";
import { readRights } from "../sql/read-rights.ts";
import type { Tx } from "../transaction.ts";

export type Condition = ConditionRow & {
  migrations: { applied: number; missing: string[]; unknown: string[] };
  /** null if the schema is of another version than this code. */
  tasks:
    | (StuckRow & {
        unfinished: UnfinishedRow[];
        waiting: WaitingRow[];
        sweep_lag_seconds: number;
        inbox: InboxFigures;
      })
    | null;
};

/** Inspects a database in any state, without changing it. */
export async function examineDatabase(sql: Sql, sources: readonly MigrationSource[]): Promise<Condition> {
  return inReading(sql, async (tx) => {
    const condition = await readCondition(tx);
    if (!condition) throw new Error("the database did not report its condition");
    const { applied, migrations } = await readMigrated(tx, sources);
    const readable = applied.length > 0 && migrations.missing.length + migrations.unknown.length === 0;
    return { ...condition, migrations, tasks: readable ? await readTasks(tx) : null };
  });
}

/** Counts the tasks of each org; null if the schema is of another version than this code. */
export async function countTasksByOrg(
  sql: Sql,
  sources: readonly MigrationSource[],
): Promise<{ org_id: string; tasks: number }[] | null> {
  return inReading(sql, async (tx) => {
    const { has_migrations } = await readRights(tx);
    const { missing, unknown } = await compared(has_migrations ? await readApplied(tx) : [], sources);
    return missing.length + unknown.length === 0 ? countByOrg(tx) : null;
  });
}

/** Compares the applied migrations with the known ones; throws if the role lacks a privilege that `pawl start` needs. */
async function readMigrated(tx: Tx, sources: readonly MigrationSource[]) {
  const rights = await readRights(tx);
  const unreadable = missingRights(rights, { migrates: false });
  if (unreadable) throw unreadable;
  const applied = rights.has_migrations ? await readApplied(tx) : [];
  const migrations = await compared(applied, sources);
  // `pawl start` creates the triggers as well.
  const done = new Set(applied.map(({ name }) => name));
  const migrates = (await namesOfMigrations(sources)).some(({ name }) => !done.has(name));
  const immovable = missingRights(rights, { migrates });
  if (immovable) throw immovable;
  return { applied, migrations };
}

async function readTasks(tx: Tx): Promise<Condition["tasks"]> {
  const [unfinished, waiting, sweep_lag_seconds, inbox, stuck] = await Promise.all([
    countUnfinished(tx),
    countWaiting(tx),
    readSweepLag(tx),
    readInboxFigures(tx),
    countStuck(tx),
  ]);
  const none = { need_attention: 0, wait_for_nothing: 0 };
  return { unfinished, waiting, sweep_lag_seconds, inbox, ...(stuck ?? none) };
}

async function compared(
  applied: readonly MigrationName[],
  sources: readonly MigrationSource[],
): Promise<Condition["migrations"]> {
  const known = await namesOfMigrations(sources);
  const done = new Set(applied.map(({ name }) => name));
  return {
    applied: applied.length,
    // Triggers are optional, because some databases do not support them.
    missing: known.filter((one) => !done.has(one.name) && !hasTriggers(one)).map(({ name }) => name),
    unknown: unknownIn(applied, known).map(({ name }) => name),
  };
}

function inReading<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  return sql.begin("read only", (tx) => work(tx)) as Promise<T>;
}
