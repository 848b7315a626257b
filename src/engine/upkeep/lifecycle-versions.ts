import { retry } from "../../std/retry.ts";
import { nextTimer, SYSTEM } from "../../core/index.ts";
import type { DueTimer, Instant, JsonObject, Lifecycle, Moved } from "../../core/index.ts";
import { unavailable } from "../../postgres/index.ts";
import { pickOutdated, repairPool, setLifecycleVersion } from "../sql/pick-outdated.ts";
import { RowsBusy } from "../write/rows-busy.ts";
import { systemCommand, workOn } from "../write/work.ts";
import type { LoadedTask, Work } from "../write/work.ts";
import type { UnitOfWork } from "../write/unit-of-work.ts";
import type { Writer } from "../write/writer.ts";

/** A value that was wrong and has been corrected. */
export type Repair = { task_id: string; what: string; was: unknown; is: unknown };

/**
 * Migrates an org's tasks to the newest version of their lifecycle, with journal entries, `limit` tasks per transaction.
 * Tasks that another node has already migrated are skipped.
 */
export async function migrateOutdated(
  writer: Writer,
  org_id: string,
  lifecycle: Lifecycle,
  limit: number,
): Promise<Repair[]> {
  const repairs: Repair[] = [];
  const migrateBatch = () =>
    writer.unit(org_id, async (unit) => {
      const ids = await pickOutdated(unit.tx, org_id, lifecycle, limit);
      const moved = ids.length === 0 ? [] : await migrateTasks(unit, lifecycle, ids);
      const pooled = await repairPool(unit.tx, org_id, lifecycle, limit);
      return [...moved, ...pooled.map(({ task_id, is }) => ({ task_id, what: "pooled", was: !is, is }))];
    });
  const runBatch = () => retryWhileBusy(migrateBatch);
  for (let done = await runBatch(); done.length > 0; done = await runBatch()) repairs.push(...done);
  return repairs;
}

const MAX_TRIES = 100;
const RETRY_DELAY_MS = 100;

/** Retries while another transaction has locked a dependent of these tasks. */
function retryWhileBusy<T>(work: () => Promise<T>): Promise<T> {
  return retry(work, {
    delayAfter: (error, failures) => {
      if (!(error instanceof RowsBusy)) return null;
      if (failures + 1 >= MAX_TRIES) throw unavailable(error);
      return RETRY_DELAY_MS;
    },
  });
}

/** Checks whether an unfinished task needs `migrateOutdated`. */
export function isOutdated(
  { migrations, statuses, pool }: Lifecycle,
  { status, due_action, pooled }: { status: string; due_action: string | null; pooled: boolean },
): boolean {
  return (
    status in migrations.statuses ||
    (due_action !== null && due_action in migrations.actions) ||
    statuses[status]?.final === true ||
    pooled !== (pool?.from === status)
  );
}

async function migrateTasks(
  unit: UnitOfWork,
  lifecycle: Lifecycle,
  ids: readonly string[],
): Promise<Repair[]> {
  await unit.lockAll(ids);
  const repairs = [...unit.tasks.values()].map((loaded): Repair => {
    const decision = migration(loaded, unit.now);
    unit.record(workOf(loaded), decision);
    return { task_id: loaded.task.id, what: "status", was: loaded.task.status, is: decision.to };
  });
  await setLifecycleVersion(unit.tx, unit.org_id, ids, lifecycle.version);
  await unit.settle();
  unit.write();
  return repairs;
}

function workOf(loaded: LoadedTask): Work {
  const input = { from_version: loaded.task.lifecycle_version, to_version: loaded.lifecycle.version };
  // setLifecycleVersion updates the row before this move is written, so the loaded ctid and xmin no longer match.
  return workOn({ ...loaded, ctid: null, xmin: null }, SYSTEM, systemCommand("migrate", input), null);
}

/** Builds the move out of a removed status by the lifecycle's mapping, since no rule starts there. */
function migration({ lifecycle, task, settings }: LoadedTask, now: Instant): Moved {
  const to = lifecycle.migrations.statuses[task.status] ?? task.status;
  const lease = lifecycle.statuses[to]?.lease ? "keep" : "close";
  const enteredAt = to === task.status ? task.entered_at : now;
  const migrated = {
    ...task,
    entered_at: enteredAt,
    updated_at: now,
    lease: lease === "keep" ? task.lease : null,
  };
  return {
    kind: "moved",
    to,
    patch: {},
    timer: timerOf(lifecycle, to, migrated, settings),
    lease,
    effects: [],
    event: { type: "migrated", action: "migrate", from: task.status, to, comment: null },
  };
}

/** Returns the timer of the new status. If it has none, keeps the task's timer if the lifecycle maps its action to a new one. */
function timerOf(
  lifecycle: Lifecycle,
  to: string,
  task: LoadedTask["task"],
  settings: JsonObject,
): DueTimer | null {
  const { final, timers = [] } = lifecycle.statuses[to] ?? {};
  const next = nextTimer(timers, task, settings);
  if (next || final || task.due_at === null || task.due_action === null) return next;
  const successor = lifecycle.migrations.actions[task.due_action];
  return successor === undefined ? null : { due_at: task.due_at, due_action: successor };
}
