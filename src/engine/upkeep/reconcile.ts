import type { Lifecycle } from "../../core/index.ts";
import { failedBlocker } from "../write/failed-blockers.ts";
import { violationOf } from "../../postgres/index.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { migrateOutdated, isOutdated } from "./lifecycle-versions.ts";
import type { Repair } from "./lifecycle-versions.ts";
import { resolveDependencies } from "../sql/dependencies.ts";
import { countOpen, pickUnfinished, readWithBeats, START } from "../sql/reconcile-tasks.ts";
import type { Counted, TaskCursor } from "../sql/reconcile-tasks.ts";
import { isSuccess, taskOf } from "../task-row.ts";
import type { Tx } from "../transaction.ts";
import { bisect } from "../write/bisect.ts";
import { RowsBusy } from "../write/rows-busy.ts";
import type { UnitOfWork } from "../write/unit-of-work.ts";
import type { Writer } from "../write/writer.ts";

/** A fault that no rule can repair: a person has to investigate it. */
type Breach = { task_id: string; what: string };

export type Reconciled = { checked: number; repaired: Repair[]; broken: Breach[] };

/**
 * Walks over an org's unfinished tasks, repairs wrong counters, dependencies and missed moves, and reports the repairs and
 * the violations of declared invariants. Each step is a transaction of its own.
 */
export async function reconcileOrg(
  registry: LifecycleRegistry,
  writer: Writer,
  org_id: string,
  chunk: number,
): Promise<Reconciled> {
  const report: Reconciled = { checked: 0, repaired: [], broken: [] };
  const successes = successesOf(registry.lifecycles.values());
  for (let cursor: TaskCursor | undefined = START; cursor !== undefined;) {
    const after: TaskCursor = cursor;
    const found = await writer.read((tx) => pickUnfinished(tx, org_id, after, chunk));
    cursor = found.at(-1);
    const ids = found.filter(({ lifecycle }) => registry.lifecycles.has(lifecycle)).map(({ id }) => id);
    const counted = await writer.read((tx) => countOpen(tx, org_id, ids, successes));
    for (const lifecycle of outdatedIn(registry, counted))
      report.repaired.push(...(await migrateOutdated(writer, org_id, lifecycle, chunk)));
    const wrong = counted.filter((one) => isWrong(registry, one)).map((one) => one.task_id);
    const repaired = await bisect(
      wrong,
      async (some) => [await writer.unit(org_id, (unit) => repair(unit, some, successes))],
      notRepaired,
    );
    const breaches = await writer.read((tx) => findBreaches(registry, tx, org_id, ids));
    report.checked += ids.length;
    report.repaired.push(...repaired.flatMap((one) => one.repaired));
    report.broken.push(...repaired.flatMap((one) => one.broken), ...missingBlockers(counted), ...breaches);
  }
  return report;
}

/** Returns the lifecycles with tasks that a node with an earlier version has moved to a removed status. */
function outdatedIn({ lifecycles }: LifecycleRegistry, counted: readonly Counted[]): Set<Lifecycle> {
  const outdated = new Set<Lifecycle>();
  for (const { lifecycle, status, due_action, pooled } of counted) {
    const known = lifecycles.get(lifecycle);
    if (known && isOutdated(known, { status, due_action, pooled })) outdated.add(known);
  }
  return outdated;
}

type Repaired = Pick<Reconciled, "repaired" | "broken">;

/** Reports a task that the database refuses; skips a task that is locked by another transaction. */
function notRepaired(task_id: string, error: unknown): Repaired {
  if (error instanceof RowsBusy) return { repaired: [], broken: [] };
  const constraint = violationOf(error);
  if (constraint === null) throw error;
  return { repaired: [], broken: [{ task_id, what: `cannot be repaired: ${constraint}` }] };
}

/** Repairs tasks under their locks, so that no other transaction changes their dependencies and holds. */
async function repair(
  unit: UnitOfWork,
  ids: readonly string[],
  successes: readonly Success[],
): Promise<Repaired> {
  if (ids.length === 0) return { repaired: [], broken: [] };
  const { tx, org_id } = unit;
  // Skips tasks locked by other transactions; the next run repairs what is still wrong with them.
  await unit.lock(ids);
  const counted = await countOpen(tx, org_id, [...unit.tasks.keys()], successes);
  const edges = counted.flatMap(({ task_id, resolvable }) =>
    resolvable.map((blocker_id) => ({ task_id, blocker_id })),
  );
  if (edges.length > 0) unit.send(resolveDependencies(org_id, edges));
  const changes = counted.flatMap(changesOf);
  for (const one of counted) {
    if (changesOf(one).length > 0)
      unit.touch(one.task_id, { open_blockers: blockersOf(one), open_holds: one.holds });
  }
  const resolved = edges.map(({ task_id, blocker_id }) => ({
    task_id,
    what: `dependency on ${blocker_id}`,
    was: "open",
    is: "resolved",
  }));
  const broken = moveOn(unit, counted);
  await unit.settle();
  unit.write();
  const moved = counted.flatMap(({ task_id, status }): Repair[] => {
    const is = unit.tasks.get(task_id)?.task.status ?? status;
    return is === status ? [] : [{ task_id, what: "status", was: status, is }];
  });
  return { repaired: [...resolved, ...changes, ...moved], broken };
}

/** Makes the moves of the system that are overdue because nothing blocks the tasks any more, or a blocker failed. */
function moveOn(unit: UnitOfWork, counted: readonly Counted[]): Breach[] {
  return counted.flatMap((one) => {
    const action = moveDueTo(unit.registry, one);
    if (action === null) return [];
    try {
      const [failed] = one.failed;
      unit.decideAsSystem(one.task_id, action, failed === undefined ? {} : failedBlocker(failed));
      return [];
    } catch (error) {
      // A faulty task must not stop the others.
      return [{ task_id: one.task_id, what: `${action}: ${String(error)}` }];
    }
  });
}

function isWrong(registry: LifecycleRegistry, one: Counted): boolean {
  return one.resolvable.length > 0 || changesOf(one).length > 0 || moveDueTo(registry, one) !== null;
}

function changesOf(one: Counted): Repair[] {
  const { task_id, open_blockers, open_holds, holds } = one;
  const blockers = blockersOf(one);
  return [
    ...(open_blockers === blockers
      ? []
      : [{ task_id, what: "open_blockers", was: open_blockers, is: blockers }]),
    ...(open_holds === holds ? [] : [{ task_id, what: "open_holds", was: open_holds, is: holds }]),
  ];
}

function blockersOf({ unresolved, resolvable }: Counted): number {
  return unresolved - resolvable.length;
}

/** Returns the action that the system should have performed on a task, or null. */
function moveDueTo(registry: LifecycleRegistry, one: Counted): string | null {
  const unblocks = registry.lifecycles.get(one.lifecycle)?.unblocks;
  if (unblocks?.from !== one.status) return null;
  if (one.failed.length > 0) return unblocks.fail ?? null;
  return blockersOf(one) === 0 && one.holds === 0 ? unblocks.action : null;
}

type Success = { lifecycle: string; status: string };

/** Lists the statuses of success, including those of earlier versions, which finished tasks keep. */
function successesOf(lifecycles: Iterable<Lifecycle>): Success[] {
  return [...lifecycles].flatMap((lifecycle) =>
    [...Object.keys(lifecycle.statuses), ...Object.keys(lifecycle.migrations.statuses)]
      .filter((status) => isSuccess(lifecycle, status))
      .map((status) => ({ lifecycle: lifecycle.name, status })),
  );
}

// It is unknown how a missing blocker ended, so its dependents are only reported, not moved.
function missingBlockers(counted: readonly Counted[]): Breach[] {
  return counted.flatMap(({ task_id, missing }) =>
    missing.map((id) => ({ task_id, what: `waits for ${id}, which does not exist` })),
  );
}

async function findBreaches(
  registry: LifecycleRegistry,
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Breach[]> {
  const rows = await readWithBeats(tx, org_id, ids);
  return rows.flatMap((row) => {
    const lifecycle = registry.lifecycles.get(row.lifecycle);
    if (!lifecycle) return [];
    const task = taskOf(row, row.token === null ? undefined : row);
    const breach = (what: string) => ({ task_id: task.id, what });
    if (!lifecycle.statuses[task.status])
      return [breach(`its status "${task.status}" is unknown in ${lifecycle.name}`)];
    return Object.entries(lifecycle.invariants)
      .filter(([, holds]) => !holds(task))
      .map(([invariant]) => breach(invariant));
  });
}
