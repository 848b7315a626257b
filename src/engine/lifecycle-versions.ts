import { nextTimer, SYSTEM } from "../core/index.ts";
import type { DueTimer, Instant, JsonObject, Lifecycle, Moved } from "../core/index.ts";
import { Ledger } from "./ledger.ts";
import { writeLedger } from "./settle.ts";
import { pickOutdated, repairPool, setLifecycleVersion } from "./statements/pick-outdated.ts";
import type { Tx } from "./transaction.ts";
import type { Locked, Work } from "./work.ts";
import type { Workshop } from "./workshop.ts";

/** Something that was not as it should be, and now is. */
export type Repair = { task_id: string; what: string; was: unknown; is: unknown };

/**
 * One batch of an org's tasks is moved, on record, to where the lifecycle's newest version has them. Done when it gives nothing;
 * what others have brought up to date meanwhile is left alone.
 */
export async function bringUpToDate(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  lifecycle: Lifecycle,
  limit: number,
): Promise<Repair[]> {
  const ids = await pickOutdated(tx, org_id, lifecycle, limit);
  const moved = ids.length === 0 ? [] : await migrateTasks(workshop, tx, org_id, lifecycle, ids);
  const pooled = await repairPool(tx, org_id, lifecycle, limit);
  return [...moved, ...pooled.map(({ task_id, is }) => ({ task_id, what: "pooled", was: !is, is }))];
}

/** What `bringUpToDate` would put right, seen in an unfinished task. */
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
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  lifecycle: Lifecycle,
  ids: readonly string[],
): Promise<Repair[]> {
  const { now, tasks } = await workshop.lock(tx, org_id, ids);
  const ledger = new Ledger(org_id, now);
  const repairs = [...tasks.values()].map((locked): Repair => {
    const decision = migration(locked, now);
    ledger.record(workOf(locked), decision);
    return { task_id: locked.task.id, what: "status", was: locked.task.status, is: decision.to };
  });
  await setLifecycleVersion(tx, org_id, ids, lifecycle.version);
  await writeLedger(workshop, tx, ledger);
  return repairs;
}

function workOf(locked: Locked): Work {
  const input = { from_version: locked.task.lifecycle_version, to_version: locked.lifecycle.version };
  const command = { action: "migrate", input, comment: null, expected_row_version: null, lease_token: null };
  // Its version is written first, and its row lies elsewhere then.
  return { ...locked, place: null, actor: SYSTEM, command, facts: {}, client_event_id: null };
}

/** No rule leads out of a status that is no more; the lifecycle's mapping does. */
function migration({ lifecycle, task, settings }: Locked, now: Instant): Moved {
  const to = lifecycle.migrations.statuses[task.status] ?? task.status;
  const lease = lifecycle.statuses[to]?.lease ? "keep" : "close";
  const moment = to === task.status ? task.entered_at : now;
  const clocked = {
    ...task,
    entered_at: moment,
    updated_at: now,
    lease: lease === "keep" ? task.lease : null,
  };
  return {
    kind: "moved",
    to,
    patch: {},
    timer: timerOf(lifecycle, to, clocked, settings),
    lease,
    effects: [],
    event: { type: "migrated", action: "migrate", from: task.status, to, comment: null },
  };
}

/** The new status's own timer; where it has none, one that a rule has set by hand rings for the action that took its action's place. */
function timerOf(
  lifecycle: Lifecycle,
  to: string,
  task: Locked["task"],
  settings: JsonObject,
): DueTimer | null {
  const { final, timers = [] } = lifecycle.statuses[to] ?? {};
  const next = nextTimer(timers, task, settings);
  if (next || final || task.due_at === null || task.due_action === null) return next;
  const successor = lifecycle.migrations.actions[task.due_action];
  return successor === undefined ? null : { due_at: task.due_at, due_action: successor };
}
