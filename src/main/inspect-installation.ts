import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { PawlError } from "../core/index.ts";
import { openDatabase } from "../postgres/index.ts";
import { countTasksByOrg, Engine, examineDatabase } from "../engine/index.ts";
import type { Condition } from "../engine/index.ts";
import type { Plugin } from "../plugin/index.ts";
import { migrationSources, withBuiltIn } from "./plugins.ts";
import type { ResolvedSettings, Settings } from "./settings.ts";

type Installation = { settings: ResolvedSettings; plugins: readonly Plugin[]; config: string | null };

/** Collects what `pawl doctor` reports about the machine, the settings and the database; only reads. */
export async function inspectInstallation(load: () => Promise<Installation>) {
  const node = process.versions.node;
  let found: Installation;
  try {
    found = await load();
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    const settings = { mistake: error.message, ignored: [], config: null, lifecycles: 0 };
    return { settings, node, data: null, database: null };
  }
  const { settings, plugins, config } = found;
  return {
    settings: { mistake: null, ignored: settings.ignored, config, lifecycles: plugins.length },
    node,
    data: await freeSpace(settings.data),
    database: await inspectDatabase(settings, withBuiltIn(plugins, settings.builtInPlugins)),
  };
}

/** Compares every task of an org, or of all orgs, with its journal; only reads. */
export async function verifyInstallation(
  { settings, plugins }: Pick<Installation, "settings" | "plugins">,
  only: string | undefined,
  onProgress: (progress: { done: number; all: number }) => void,
) {
  if (isAbsent(settings))
    throw new PawlError("DATABASE_UNUSABLE", `There is no database in ${settings.data} yet.`);
  const database = await openDatabase(databaseOptions(settings));
  try {
    const sources = migrationSources(withBuiltIn(plugins, settings.builtInPlugins));
    const counted = await countTasksByOrg(database.sql, sources);
    if (counted === null)
      throw new PawlError(
        "DATABASE_UNUSABLE",
        "The database does not have this version's schema; `pawl doctor` shows the difference, and `pawl start` migrates it.",
      );
    const orgs = counted.filter(({ org_id }) => only === undefined || org_id === only);
    if (orgs.length === 0) throw new PawlError("NOT_FOUND", `There is no org "${only ?? ""}".`);
    const all = orgs.reduce((sum, { tasks }) => sum + tasks, 0);
    const engine = new Engine(database.sql, plugins);
    const verified = [];
    let before = 0;
    for (const { org_id } of orgs) {
      const done = await engine.verify(org_id, ({ tasks }) => {
        onProgress({ done: before + tasks, all });
      });
      before += done.tasks;
      verified.push({ org: org_id, ...done });
    }
    return verified;
  } finally {
    await database.close();
  }
}

async function inspectDatabase(settings: Settings, plugins: readonly Plugin[]) {
  if (isAbsent(settings)) return { absent: true } as const;
  try {
    const startedAt = Date.now();
    const database = await openDatabase(databaseOptions(settings));
    try {
      const openedAt = Date.now();
      const condition = await examineDatabase(database.sql, migrationSources(plugins));
      const times = { openedInMs: openedAt - startedAt, aheadMs: Math.round(condition.now - Date.now()) };
      return { kind: database.kind, ...times, ...databaseReport(condition, plugins) };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function databaseReport({ tasks, migrations, ...condition }: Condition, plugins: readonly Plugin[]) {
  const known = new Set(plugins.map(({ lifecycle }) => lifecycle.name));
  const orphans = new Map<string, number>();
  for (const { lifecycle, tasks: amount } of tasks?.unfinished ?? [])
    if (!known.has(lifecycle)) orphans.set(lifecycle, (orphans.get(lifecycle) ?? 0) + amount);
  return {
    version: condition.version,
    migrations,
    connections: { used: condition.connections, max: condition.most_connections },
    longestTransactionSeconds: condition.longest_transaction_seconds,
    tasks: tasks && {
      unfinished: tasks.unfinished.reduce((sum, row) => sum + row.tasks, 0),
      sweepLagSeconds: tasks.sweep_lag_seconds,
      needAttention: tasks.need_attention,
      waitForDeleted: tasks.wait_for_nothing,
      inbox: {
        refused: tasks.inbox.refused,
        waiting: tasks.inbox.waiting,
        oldestSeconds: tasks.inbox.oldest_seconds,
      },
      orphans: [...orphans].map(([lifecycle, amount]) => ({ lifecycle, tasks: amount })),
      waiting: tasks.waiting.map(({ lifecycle, tasks: amount, oldest_seconds }) => ({
        lifecycle,
        tasks: amount,
        oldestSeconds: oldest_seconds,
      })),
    },
  };
}

/** Checked first, because opening the embedded database would create it. */
export function isAbsent({ databaseUrl, data }: Settings): boolean {
  return databaseUrl === null && !existsSync(join(data, "postgres"));
}

/** Few connections: for commands that run beside a server. */
export function databaseOptions({ databaseUrl, data, schema, preparedStatements }: Settings) {
  return { url: databaseUrl ?? undefined, data, schema, maxConnections: 2, prepare: preparedStatements };
}

/** Free space of the folder, or of the nearest existing folder above it. */
async function freeSpace(folder: string) {
  let existing = resolve(folder);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  try {
    const { bavail, blocks, bsize } = await statfs(existing);
    return { folder, freeBytes: bavail * bsize, allBytes: blocks * bsize };
  } catch {
    return null;
  }
}
