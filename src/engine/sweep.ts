import { nextTimer, SYSTEM } from "../core/index.ts";
import type { Instant } from "../core/index.ts";
import { Ledger } from "./ledger.ts";
import { writeLedger } from "./settle.ts";
import { saveTouches } from "./statements/save-touches.ts";
import { pickDue } from "./statements/pick-due.ts";
import { readClock } from "./statements/read-surroundings.ts";
import { taskOfCells } from "./task-row.ts";
import { behindSavepoint } from "./transaction.ts";
import type { Tx } from "./transaction.ts";
import { workOn } from "./work.ts";
import type { Locked, Work } from "./work.ts";
import type { Workshop } from "./workshop.ts";

/** A task whose timer could not be acted upon is looked at again after this. */
const PATIENCE_MS = 60_000;

export type SweepOptions = {
  /** Stands in for the clock where a test needs it to. */
  now: Instant | null;
  limit: number;
  /** Whose timers. */
  lifecycles: readonly string[];
};

export type Swept = { looked_at: number; moved: number; put_off: { task_id: string; why: string }[] };

/** Turns due timers of one org into ordinary commands by the system. */
export async function sweepWithin(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  { now: given, limit, lifecycles }: SweepOptions,
): Promise<Swept> {
  const rows = await pickDue(tx, org_id, { now: given, limit, lifecycles });
  if (rows.length === 0) return { looked_at: 0, moved: 0, put_off: [] };
  const { now: clock, tasks } = await workshop.takeIn(tx, org_id, rows);
  const now = given ?? clock;
  const works = [...tasks.values()].map(workOf);
  await workshop.loadFacts(tx, org_id, works);
  const ledger = new Ledger(org_id, now);
  const swept: Swept = { looked_at: rows.length, moved: 0, put_off: [] };
  for (const work of works) {
    const why = act(ledger, work);
    if (why === null) swept.moved++;
    else putOff(ledger, work, why, swept);
  }
  await writeLedger(workshop, tx, ledger);
  return swept;
}

/** The task that has been due longest, behind a savepoint: if it cannot be written, it is put off, and that is. */
export async function sweepOneWithin(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  asked: SweepOptions,
): Promise<Swept> {
  try {
    return await behindSavepoint(tx, (inner) => sweepWithin(workshop, inner, org_id, asked));
  } catch (error) {
    const [row] = await pickDue(tx, org_id, asked);
    if (!row) return { looked_at: 0, moved: 0, put_off: [] };
    const due_at = (asked.now ?? (await readClock(tx))) + PATIENCE_MS;
    const task = taskOfCells(org_id, row, undefined);
    saveTouches(tx, org_id, [{ ...task, due_at }]);
    return { looked_at: 1, moved: 0, put_off: [{ task_id: task.id, why: String(error) }] };
  }
}

function workOf(locked: Locked): Work {
  const action = locked.task.due_action ?? "";
  const command = { action, input: {}, comment: null, expected_row_version: null, lease_token: null };
  return workOn(locked, SYSTEM, command, null);
}

/** Null when the timer's action was done; else why not. One bad task never stops the rest. */
function act(ledger: Ledger, work: Work): string | null {
  try {
    const settled = ledger.decide(work);
    return settled.kind === "refused" ? settled.code : settled.kind === "deferred" ? "DEFERRED" : null;
  } catch (error) {
    return String(error);
  }
}

/** A heartbeat came meanwhile, or a guard is in the way: the timer moves itself on. */
function putOff(ledger: Ledger, work: Work, why: string, swept: Swept): void {
  const { lifecycle, task, settings } = work;
  ledger.tasks.set(task.id, work);
  const next = nextTimer(lifecycle.statuses[task.status]?.timers ?? [], task, settings);
  const later = ledger.now + PATIENCE_MS;
  const due_at = next && why === "NOT_DUE" ? Math.max(next.due_at, ledger.now + 1) : later;
  ledger.touch(task.id, { due_at, due_action: next?.due_action ?? task.due_action });
  if (why !== "NOT_DUE") swept.put_off.push({ task_id: task.id, why });
}
