import type { OldRows, PluginPrune } from "../engine-plugin.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { PawlError } from "../../core/index.ts";
import type { Instant } from "../../core/index.ts";
import { pruneInbox } from "../sql/pick-inbox.ts";
import {
  deleteBelongings,
  deleteEventlessRequests,
  deleteRequests,
  deleteTasks,
  lockFinished,
  pickFinished,
  readExports,
} from "../sql/prune-tasks.ts";
import type { Finished } from "../sql/prune-tasks.ts";
import { readClock } from "../sql/read-task-context.ts";
import type { Tx } from "../transaction.ts";
import { keepAnswers } from "../write/stored-answers.ts";
import { removeOldFigures } from "../sql/remove-old-figures.ts";
import { hasFigures } from "../sql/roll-up-progress.ts";
import { rollUpOrg } from "./roll-up.ts";

export type PruneOptions = {
  org_id: string;
  /** Tasks per transaction; default 200. */
  batch?: number;
  /** Receives each task with its journal as one line of JSON before the deletion; if it throws, the task is kept. */
  onExport?: (line: string) => void | Promise<void>;
  /** Replaces the database's clock. */
  now?: Instant;
} & ({ before: Instant } | { olderThanMs: number });

export type Pruned = {
  pruned: number;
  /** Left for the next run because they were locked, changed or waited for. */
  skipped: number;
  /** Could not be exported, or the plugin's part in retention failed. */
  failed: { task_id: string; why: string }[];
};

/**
 * Deletes finished tasks that have not changed for long, with their journals, requests, holds and dependencies, in short
 * transactions that wait for no lock. The feed keeps its positions, so readers find gaps there. The dedupe_key and
 * client_event_id of a deleted task can be used again. Refused requests of the inbox, and rows of lifecycles that belong to no task, such as chat messages, are
 * deleted by their age too, without export.
 */
export async function pruneOrg(
  registry: LifecycleRegistry,
  runIn: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  options: PruneOptions,
): Promise<Pruned> {
  const { org_id, batch = 200, onExport } = options;
  const before = await momentOf(runIn, options);
  const below = idAt(before + CLOCK_SLACK_MS);
  const total: Pruned = { pruned: 0, skipped: 0, failed: [] };
  // A failure of the figures keeps only tasks that they have not counted.
  const uncounted = await countPast(runIn, org_id);
  for (let after = idAt(0); ;) {
    const from = after;
    const found = await runIn((tx) => pickFinished(tx, org_id, { after: from, below, before, limit: batch }));
    const last = found.at(-1);
    if (!last) break;
    after = last.id;
    const exported = onExport ? await exportTasks(runIn, org_id, found, onExport, total) : found;
    // One transaction for each lifecycle: a plugin whose part fails keeps only its own tasks.
    for (const [lifecycle, tasks] of byLifecycle(exported)) {
      const plugin = registry.pruneOf(lifecycle);
      try {
        const pruned = await runIn((tx) => pruneWithin(tx, org_id, tasks, plugin));
        total.pruned += pruned;
        total.skipped += tasks.length - pruned;
      } catch (error) {
        if (!plugin.keep && !plugin.removeOfTasks) throw error;
        total.failed.push(
          ...tasks.map(({ id }) => ({ task_id: id, why: `Plugin "${lifecycle}": ${String(error)}` })),
        );
      }
    }
  }
  for (let run = 0; run < MAX_BATCHES; run++)
    if ((await runIn((tx) => pruneInbox(tx, org_id, { before, limit: batch }))) < batch) break;
  await removeOldRows(registry, runIn, org_id, { before, below, limit: batch });
  if (uncounted) throw uncounted.error;
  return total;
}

/** If the org has figures about the past, brings them up to date and deletes old ones; returns the error if that fails. */
async function countPast(
  runIn: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  org_id: string,
): Promise<{ error: unknown } | null> {
  try {
    if (!(await runIn((tx) => hasFigures(tx, org_id)))) return null;
    await rollUpOrg(runIn, org_id);
    await runIn((tx) => removeOldFigures(tx, org_id));
    return null;
  } catch (error) {
    return { error };
  }
}

/** Maximum batches of old rows per plugin and run; the next run continues. */
const MAX_BATCHES = 1_000;

/** Lets every plugin delete its old rows. A failing one does not stop the others; the first failure is thrown. */
async function removeOldRows(
  registry: LifecycleRegistry,
  runIn: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  org_id: string,
  old: OldRows,
): Promise<void> {
  const failures: unknown[] = [];
  for (const lifecycle of registry.lifecycles.keys()) {
    const { removeOld } = registry.pruneOf(lifecycle);
    if (!removeOld) continue;
    try {
      for (let batch = 0; batch < MAX_BATCHES; batch++)
        if ((await runIn((tx) => removeOld(tx, org_id, old))) < old.limit) break;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function byLifecycle(tasks: readonly Finished[]): Map<string, Finished[]> {
  const groups = new Map<string, Finished[]>();
  for (const task of tasks) {
    const group = groups.get(task.lifecycle);
    if (group) group.push(task);
    else groups.set(task.lifecycle, [task]);
  }
  return groups;
}

/** Calls `onExport` outside of any transaction, so that a slow callback holds no locks. */
async function exportTasks(
  runIn: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  org_id: string,
  found: readonly Finished[],
  onExport: (line: string) => void | Promise<void>,
  total: Pruned,
): Promise<Finished[]> {
  const ids = found.map((task) => task.id);
  const exported: Finished[] = [];
  for (const { line, ...task } of await runIn((tx) => readExports(tx, org_id, ids))) {
    try {
      await onExport(line);
      exported.push(task);
    } catch (error) {
      total.failed.push({ task_id: task.id, why: String(error) });
    }
  }
  return exported;
}

async function pruneWithin(
  tx: Tx,
  org_id: string,
  tasks: readonly Finished[],
  { keep, removeOfTasks }: PluginPrune,
): Promise<number> {
  const locked = await lockFinished(tx, org_id, tasks);
  const kept = new Set(await keep?.(tx, org_id, locked));
  const gone = await deleteTasks(
    tx,
    org_id,
    locked.filter((id) => !kept.has(id)),
  );
  if (gone.length === 0) return 0;
  await keepAnswers(tx, org_id, gone);
  const keys = await deleteBelongings(tx, org_id, gone);
  await deleteRequests(tx, org_id, keys);
  await deleteEventlessRequests(tx, org_id, gone);
  await removeOfTasks?.(tx, org_id, gone);
  return gone.length;
}

async function momentOf(
  runIn: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  options: PruneOptions,
): Promise<Instant> {
  const moment =
    "before" in options
      ? options.before
      : (options.now ?? (await runIn((tx) => readClock(tx)))) - options.olderThanMs;
  if (Number.isFinite(moment) && moment >= 0) return moment;
  throw new PawlError("VALIDATION_ERROR", "Give the age at which finished tasks are pruned.");
}

/** Maximum difference between the clocks of nodes, which generate the ids, and of the database. */
const CLOCK_SLACK_MS = 86_400_000;

/** Returns the smallest id (UUID v7) of a millisecond. */
function idAt(moment: Instant): string {
  const hex = Math.floor(moment).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
