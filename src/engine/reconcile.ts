import type { Lifecycle } from "../core/index.ts";
import { deadBlocker } from "./dead-blockers.ts";
import { violationOf } from "./fault.ts";
import { Ledger } from "./ledger.ts";
import { bringUpToDate, isOutdated } from "./lifecycle-versions.ts";
import type { Repair } from "./lifecycle-versions.ts";
import { writeLedger } from "./settle.ts";
import { resolveDependencies } from "./statements/dependencies.ts";
import {
  BEGINNING,
  countOpen,
  lockFree,
  pickUnfinished,
  readWithBeats,
  saveCounters,
} from "./statements/reconcile-tasks.ts";
import type { Counted, Place } from "./statements/reconcile-tasks.ts";
import { isSuccess, taskOf } from "./task-row.ts";
import type { Tx } from "./transaction.ts";
import type { Workshop } from "./workshop.ts";

/** What is wrong and no rule can put right: somebody has to look. */
type Breach = { task_id: string; what: string };

export type Reconciled = { checked: number; repaired: Repair[]; broken: Breach[] };

type RunIn = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Walks over an org's unfinished tasks, repairs what no event has told them, and reports both that and what breaks a
 * declared invariant. `runIn` runs each step in a transaction of its own.
 */
export async function reconcileOrg(
  workshop: Workshop,
  runIn: RunIn,
  org_id: string,
  chunk: number,
): Promise<Reconciled> {
  const report: Reconciled = { checked: 0, repaired: [], broken: [] };
  const successes = successesOf(workshop.lifecycles.values());
  for (let place: Place | undefined = BEGINNING; place !== undefined;) {
    const after: Place = place;
    const places = await runIn((tx) => pickUnfinished(tx, org_id, after, chunk));
    place = places.at(-1);
    const ids = places.filter(({ lifecycle }) => workshop.lifecycles.has(lifecycle)).map(({ id }) => id);
    const counted = await runIn((tx) => countOpen(tx, org_id, ids, successes));
    for (const lifecycle of outdatedIn(workshop, counted)) {
      const nextBatch = () => runIn((tx) => bringUpToDate(workshop, tx, org_id, lifecycle, chunk));
      for (let done = await nextBatch(); done.length > 0; done = await nextBatch())
        report.repaired.push(...done);
    }
    const wrong = counted.filter((one) => isWrong(workshop, one)).map((one) => one.task_id);
    const repair = (tx: Tx, some: readonly string[]) =>
      repairWithin(workshop, tx, { org_id, ids: some, successes });
    const { repaired, broken } = await repairAll(runIn, wrong, repair);
    const breaches = await runIn((tx) => findBreaches(workshop, tx, org_id, ids));
    report.checked += ids.length;
    report.repaired.push(...repaired);
    report.broken.push(...broken, ...goneBlockers(counted), ...breaches);
  }
  return report;
}

/** Lifecycles with tasks that a node of an earlier version has moved to where this one no longer is. */
function outdatedIn({ lifecycles }: Workshop, counted: readonly Counted[]): Set<Lifecycle> {
  const outdated = new Set<Lifecycle>();
  for (const { lifecycle, status, due_action, pooled } of counted) {
    const known = lifecycles.get(lifecycle);
    if (known && isOutdated(known, { status, due_action, pooled })) outdated.add(known);
  }
  return outdated;
}

type Repaired = Pick<Reconciled, "repaired" | "broken">;

/** All at once, or, where the database refuses one of them, one by one. */
async function repairAll(
  runIn: RunIn,
  ids: readonly string[],
  repair: (tx: Tx, ids: readonly string[]) => Promise<Repaired>,
): Promise<Repaired> {
  if (ids.length === 0) return { repaired: [], broken: [] };
  try {
    return await runIn((tx) => repair(tx, ids));
  } catch (error) {
    const constraint = violationOf(error);
    if (constraint === null) throw error;
    const [only] = ids;
    if (ids.length === 1 && only !== undefined)
      return { repaired: [], broken: [{ task_id: only, what: `cannot be repaired: ${constraint}` }] };
    const parts: Repaired = { repaired: [], broken: [] };
    for (const id of ids) {
      const part = await repairAll(runIn, [id], repair);
      parts.repaired.push(...part.repaired);
      parts.broken.push(...part.broken);
    }
    return parts;
  }
}

/** Under the tasks' locks, where nobody else settles their dependencies and holds. */
async function repairWithin(
  workshop: Workshop,
  tx: Tx,
  { org_id, ids, successes }: { org_id: string; ids: readonly string[]; successes: readonly Success[] },
): Promise<Repaired> {
  const locked = await lockFree(tx, org_id, ids);
  const counted = await countOpen(tx, org_id, locked, successes);
  const edges = counted.flatMap(({ task_id, over }) => over.map((blocker_id) => ({ task_id, blocker_id })));
  resolveDependencies(tx, org_id, edges);
  const changes = counted.flatMap(changesOf);
  const miscounted = counted.filter((one) => changesOf(one).length > 0);
  await saveCounters(
    tx,
    org_id,
    miscounted.map((one) => ({
      task_id: one.task_id,
      open_blockers: blockersOf(one),
      open_holds: one.holds,
    })),
  );
  const resolved = edges.map(({ task_id, blocker_id }) => ({
    task_id,
    what: `dependency on ${blocker_id}`,
    was: "open",
    is: "resolved",
  }));
  const { repaired, broken } = await moveOn(workshop, tx, org_id, counted);
  return { repaired: [...resolved, ...changes, ...repaired], broken };
}

/** Moves of the system's own that the tasks should have made when the last thing they waited for was over. */
async function moveOn(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  counted: readonly Counted[],
): Promise<Repaired> {
  const due = counted.filter((one) => moveDueTo(workshop, one) !== null);
  if (due.length === 0) return { repaired: [], broken: [] };
  const ids = due.map((one) => one.task_id);
  const { now, tasks } = await workshop.lock(tx, org_id, ids);
  const ledger = new Ledger(org_id, now);
  const broken: Breach[] = [];
  for (const one of due) {
    const known = tasks.get(one.task_id);
    const action = moveDueTo(workshop, one);
    if (!known || action === null) continue;
    ledger.tasks.set(one.task_id, known);
    try {
      const [failed] = one.failed;
      const input = failed === undefined ? {} : deadBlocker(failed);
      ledger.decideAsSystem(one.task_id, action, input);
    } catch (error) {
      // One bad task never stops the rest.
      broken.push({ task_id: one.task_id, what: `${action}: ${String(error)}` });
    }
  }
  await writeLedger(workshop, tx, ledger);
  const repaired = due.flatMap(({ task_id, status }): Repair[] => {
    const is = ledger.tasks.get(task_id)?.task.status ?? status;
    return is === status ? [] : [{ task_id, what: "status", was: status, is }];
  });
  return { repaired, broken };
}

function isWrong(workshop: Workshop, one: Counted): boolean {
  return one.over.length > 0 || changesOf(one).length > 0 || moveDueTo(workshop, one) !== null;
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

function blockersOf({ unresolved, over }: Counted): number {
  return unresolved - over.length;
}

/** The action that the system owes a task, if any. */
function moveDueTo(workshop: Workshop, one: Counted): string | null {
  const unblocks = workshop.lifecycles.get(one.lifecycle)?.unblocks;
  if (unblocks?.from !== one.status) return null;
  if (one.failed.length > 0) return unblocks.fail ?? null;
  return blockersOf(one) === 0 && one.holds === 0 ? unblocks.action : null;
}

type Success = { lifecycle: string; status: string };

/** Also by the names that earlier versions had: finished tasks keep them. */
function successesOf(lifecycles: Iterable<Lifecycle>): Success[] {
  return [...lifecycles].flatMap((lifecycle) =>
    [...Object.keys(lifecycle.statuses), ...Object.keys(lifecycle.migrations.statuses)]
      .filter((status) => isSuccess(lifecycle, status))
      .map((status) => ({ lifecycle: lifecycle.name, status })),
  );
}

// How a blocker ended that is not there any more nobody can tell, so nothing is moved on its account.
function goneBlockers(counted: readonly Counted[]): Breach[] {
  return counted.flatMap(({ task_id, gone }) =>
    gone.map((id) => ({ task_id, what: `waits for ${id}, which does not exist` })),
  );
}

async function findBreaches(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Breach[]> {
  const rows = await readWithBeats(tx, org_id, ids);
  return rows.flatMap((row) => {
    const lifecycle = workshop.lifecycles.get(row.lifecycle);
    if (!lifecycle) return [];
    const task = taskOf(row, row.token === null ? undefined : row);
    const say = (what: string) => ({ task_id: task.id, what });
    if (!lifecycle.statuses[task.status])
      return [say(`its status "${task.status}" is none of ${lifecycle.name}'s`)];
    return Object.entries(lifecycle.invariants)
      .filter(([, holds]) => !holds(task))
      .map(([invariant]) => say(invariant));
  });
}
