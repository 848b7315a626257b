import { isRefusal, nextTimer, PawlError, SYSTEM } from "../../core/index.ts";
import type { Instant } from "../../core/index.ts";
import type { Swept } from "../observer.ts";
import { pickDue } from "../sql/pick-due.ts";
import { bisect } from "../write/bisect.ts";
import { RowsBusy } from "../write/rows-busy.ts";
import type { UnitOfWork } from "../write/unit-of-work.ts";
import { systemCommand, workOn } from "../write/work.ts";
import type { LoadedTask, Work } from "../write/work.ts";
import type { Writer } from "../write/writer.ts";

/** A task whose timer could not be acted upon is looked at again after this. */
const PATIENCE_MS = 60_000;

export type SweepOptions = {
  /** Stands in for the clock where a test needs it to. */
  now: Instant | null;
  limit: number;
  /** Whose timers. */
  lifecycles: readonly string[];
};

/** Result of one due timer; `why` is null if it moved its task. */
type Rung = { task_id: string; why: string | null };

/**
 * Turns due timers of one org into commands by the system: all that are due together, in one transaction. A task that the database
 * refuses is put off by itself.
 */
export async function sweepOrg(writer: Writer, org_id: string, options: SweepOptions): Promise<Swept> {
  let due: string[] = [];
  const sweep = (
    ids: readonly string[] | null,
    act: (unit: UnitOfWork, due: LoadedTask[]) => Promise<Rung[]>,
  ) =>
    writer.unit(org_id, async (unit) => {
      unit.now = options.now ?? 0;
      const rows = await pickDue(unit.tx, org_id, { ...options, ids });
      const tasks = rows.length === 0 ? [] : await unit.take(rows);
      due = tasks.map(({ task }) => task.id);
      return act(unit, tasks);
    });
  try {
    return report(await sweep(null, actOnTimers));
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const putOffOne = (id: string, reason: unknown) => {
      if (isUnavailable(reason)) throw reason;
      // Somebody is at work on a task that waits for this one: it stays due.
      if (reason instanceof RowsBusy) return [];
      return sweep([id], (unit, tasks) => putOffAll(unit, tasks, String(reason)));
    };
    const rung = await bisect(due, async (ids) => [await sweep(ids, actOnTimers)], putOffOne);
    return report(rung.flat());
  }
}

async function actOnTimers(unit: UnitOfWork, due: readonly LoadedTask[]): Promise<Rung[]> {
  const works = due.map((loaded) =>
    workOn(loaded, SYSTEM, systemCommand(loaded.task.due_action ?? ""), null),
  );
  await unit.registry.loadFacts(unit.tx, unit.org_id, works);
  const rung = works.map((work): Rung => {
    const why = act(unit, work);
    if (why !== null) putOff(unit, work, why);
    return { task_id: work.task.id, why };
  });
  await unit.settle();
  unit.write();
  return rung;
}

async function putOffAll(unit: UnitOfWork, due: readonly LoadedTask[], why: string): Promise<Rung[]> {
  for (const loaded of due) putOff(unit, loaded, why);
  await unit.settle();
  unit.write();
  return due.map(({ task }) => ({ task_id: task.id, why }));
}

/** Null when the timer's action was done; else why not. One bad task never stops the rest. */
function act(unit: UnitOfWork, work: Work): string | null {
  try {
    const settled = unit.decide(work);
    return isRefusal(settled) ? settled.code : settled.kind === "deferred" ? "DEFERRED" : null;
  } catch (error) {
    return String(error);
  }
}

/** A heartbeat came meanwhile, or a guard is in the way: the timer moves itself on. */
function putOff(unit: UnitOfWork, { lifecycle, task, settings }: LoadedTask, why: string): void {
  const next = nextTimer(lifecycle.statuses[task.status]?.timers ?? [], task, settings);
  const later = unit.now + PATIENCE_MS;
  const due_at = next && why === "NOT_DUE" ? Math.max(next.due_at, unit.now + 1) : later;
  unit.touch(task.id, { due_at, due_action: next?.due_action ?? task.due_action });
}

function report(rung: readonly Rung[]): Swept {
  const put_off = rung.flatMap(({ task_id, why }) =>
    why === null || why === "NOT_DUE" ? [] : [{ task_id, why }],
  );
  return { looked_at: rung.length, moved: rung.filter(({ why }) => why === null).length, put_off };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof PawlError && error.code === "UNAVAILABLE";
}
