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

type SetUp = { settings: ResolvedSettings; plugins: readonly Plugin[]; config: string | null };

/** What `pawl doctor` is told of the machine, the settings and the database; nothing is made, migrated or repaired. */
export async function examineInstallation(setUp: () => Promise<SetUp>) {
  const node = process.versions.node;
  let found: SetUp;
  try {
    found = await setUp();
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    const settings = { mistake: error.message, ignored: [], config: null, lifecycles: 0 };
    return { settings, node, data: null, database: null };
  }
  const { settings, plugins, config } = found;
  return {
    settings: { mistake: null, ignored: settings.ignored, config, lifecycles: plugins.length },
    node,
    data: await diskOf(settings.data),
    database: await lookAtDatabase(settings, withBuiltIn(plugins)),
  };
}

/** Every task of an org, or of all orgs, against its journal; only reads. */
export async function verifyInstallation(
  { settings, plugins }: Pick<SetUp, "settings" | "plugins">,
  asked: string | undefined,
  onProgress: (progress: { done: number; all: number }) => void,
) {
  if (isAbsent(settings))
    throw new PawlError("DATABASE_UNUSABLE", `There is no database in ${settings.data} yet.`);
  const { url, data } = placeOf(settings);
  const database = await openDatabase({ url, data, maxConnections: 2, prepare: settings.preparedStatements });
  try {
    const counted = await countTasksByOrg(database.sql, migrationSources(withBuiltIn(plugins)));
    if (counted === null)
      throw new PawlError(
        "DATABASE_UNUSABLE",
        "The database is not at this version's schema; `pawl doctor` says more, and `pawl start` brings it up to date.",
      );
    const orgs = counted.filter(({ org_id }) => asked === undefined || org_id === asked);
    if (orgs.length === 0) throw new PawlError("INVALID_CONFIG", `There is no org "${asked ?? ""}".`);
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

async function lookAtDatabase(settings: Settings, plugins: readonly Plugin[]) {
  if (isAbsent(settings)) return { absent: true } as const;
  const { url, data } = placeOf(settings);
  try {
    const begun = Date.now();
    const database = await openDatabase({
      url,
      data,
      maxConnections: 2,
      prepare: settings.preparedStatements,
    });
    try {
      const asked = Date.now();
      const condition = await examineDatabase(database.sql, migrationSources(plugins));
      const times = { answeredInMs: asked - begun, aheadMs: Math.round(condition.now - Date.now()) };
      return { kind: database.kind, ...times, ...seenIn(condition, plugins) };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function seenIn({ tasks, migrations, ...condition }: Condition, plugins: readonly Plugin[]) {
  const known = new Set(plugins.map(({ lifecycle }) => lifecycle.name));
  const orphans = new Map<string, number>();
  for (const { lifecycle, tasks: amount } of tasks?.unfinished ?? [])
    if (!known.has(lifecycle)) orphans.set(lifecycle, (orphans.get(lifecycle) ?? 0) + amount);
  return {
    version: condition.version,
    migrations,
    connections: { used: condition.connections, most: condition.most_connections },
    longestTransactionSeconds: condition.longest_transaction_seconds,
    tasks: tasks && {
      unfinished: tasks.unfinished.reduce((sum, row) => sum + row.tasks, 0),
      sweepLagSeconds: tasks.sweep_lag_seconds,
      needAttention: tasks.need_attention,
      waitForNothing: tasks.wait_for_nothing,
      orphans: [...orphans].map(([lifecycle, amount]) => ({ lifecycle, tasks: amount })),
      waiting: tasks.waiting.map(({ lifecycle, tasks: amount, oldest_seconds }) => ({
        lifecycle,
        tasks: amount,
        oldestSeconds: oldest_seconds,
      })),
    },
  };
}

/** Opening the embedded database would make one. */
function isAbsent({ databaseUrl, data }: Settings): boolean {
  return databaseUrl === null && !existsSync(join(data, "postgres"));
}

function placeOf({ databaseUrl, data }: Settings) {
  return { url: databaseUrl ?? undefined, data };
}

/** Of the folder, or of the next one above that is there. */
async function diskOf(folder: string) {
  let there = resolve(folder);
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  try {
    const { bavail, blocks, bsize } = await statfs(there);
    return { folder, freeBytes: bavail * bsize, allBytes: blocks * bsize };
  } catch {
    return null;
  }
}
