import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { PawlError } from "../../core/index.ts";
import type { Instant } from "../../core/index.ts";
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
import { readClock } from "../sql/read-surroundings.ts";
import type { Tx } from "../transaction.ts";
import { keepAnswers } from "../write/stored-answers.ts";

export type PruneOptions = {
  org_id: string;
  /** Tasks per transaction; 200 unless told. */
  batch?: number;
  /** Is given every task with its journal as one line of JSON, before it goes; a task whose line it does not take stays. */
  onExport?: (line: string) => void | Promise<void>;
  /** Stands in for the clock. */
  now?: Instant;
} & ({ before: Instant } | { olderThanMs: number });

export type Pruned = {
  pruned: number;
  /** Busy, changed or waited for at the moment: left for another time. */
  skipped: number;
  /** Could not be exported. */
  failed: { task_id: string; why: string }[];
};

/**
 * Deletes finished tasks to which nothing has happened for long, with their journals, requests, holds and dependencies, in
 * short transactions that wait for nobody. The feed keeps its positions: who reads it from before them later finds gaps there.
 * A dedupe_key or client_event_id that went with its tasks is as good as new. What lifecycles keep that is no task's, as the
 * messages of chats, goes by its age as well, and is not exported.
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
  for (let after = idAt(0); ;) {
    const from = after;
    const found = await runIn((tx) => pickFinished(tx, org_id, { after: from, below, before, limit: batch }));
    const last = found.at(-1);
    if (!last) break;
    after = last.id;
    const exported = onExport ? await exportTasks(runIn, org_id, found, onExport, total) : found;
    const pruned = await runIn((tx) => pruneWithin(registry, tx, org_id, exported));
    total.pruned += pruned;
    total.skipped += exported.length - pruned;
  }
  for (const removeOld of registry.removalsOfOld) {
    const old = { before, below, limit: batch };
    while ((await runIn((tx) => removeOld(tx, org_id, old))) === batch);
  }
  return total;
}

/** Outside of any transaction: how long the caller takes is not the database's business. */
async function exportTasks(
  runIn: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  org_id: string,
  found: readonly Finished[],
  onExport: (line: string) => void | Promise<void>,
  total: Pruned,
): Promise<Finished[]> {
  const ids = found.map((task) => task.id);
  const exported: Finished[] = [];
  for (const { id, row_version, line } of await runIn((tx) => readExports(tx, org_id, ids))) {
    try {
      await onExport(line);
      exported.push({ id, row_version });
    } catch (error) {
      total.failed.push({ task_id: id, why: String(error) });
    }
  }
  return exported;
}

async function pruneWithin(
  registry: LifecycleRegistry,
  tx: Tx,
  org_id: string,
  tasks: readonly Finished[],
): Promise<number> {
  const locked = await lockFinished(tx, org_id, tasks);
  const gone = await deleteTasks(tx, org_id, await registry.prunable(tx, org_id, locked));
  if (gone.length === 0) return 0;
  await keepAnswers(tx, org_id, gone);
  const keys = await deleteBelongings(tx, org_id, gone);
  await deleteRequests(tx, org_id, keys);
  await deleteEventlessRequests(tx, org_id, gone);
  await registry.removeOfTasks(tx, org_id, gone);
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
  throw new PawlError("VALIDATION_ERROR", "Say how old a finished task must be before it is pruned.");
}

/** Ids are given by the clocks of nodes, times by the database's. */
const CLOCK_SLACK_MS = 86_400_000;

/** The smallest id (uuid v7) of a millisecond. */
function idAt(moment: Instant): string {
  const hex = Math.floor(moment).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
