import { isRefusal, nextTimer, SYSTEM } from "../../core/index.ts";
import type { Instant } from "../../core/index.ts";
import { isUnavailable } from "../../postgres/index.ts";
import type { Swept } from "../observer.ts";
import { pickDue } from "../sql/pick-due.ts";
import { bisect } from "../write/bisect.ts";
import { RowsBusy } from "../write/rows-busy.ts";
import type { UnitOfWork } from "../write/unit-of-work.ts";
import { systemCommand, workOn } from "../write/work.ts";
import type { LoadedTask, Work } from "../write/work.ts";
import type { Writer } from "../write/writer.ts";

/** Delay until the next attempt for a task whose timer's action failed. */
const RETRY_DELAY_MS = 60_000;

export type SweepOptions = {
  /** Replaces the database's clock in tests. */
  now: Instant | null;
  limit: number;
  /** The lifecycles whose timers are swept. */
  lifecycles: readonly string[];
};

/** Result of one due timer; `why` is null if it moved its task. */
type TimerResult = { task_id: string; why: string | null };

/**
 * Performs the actions of an org's due timers as the system, all in one transaction. A task that the database refuses is
 * found by bisection and put off alone.
 */
export async function sweepOrg(writer: Writer, org_id: string, options: SweepOptions): Promise<Swept> {
  let due: string[] = [];
  const sweep = (
    ids: readonly string[] | null,
    act: (unit: UnitOfWork, due: LoadedTask[]) => Promise<TimerResult[]>,
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
      // Another transaction has locked a task that waits for this one, so the timer stays due.
      if (reason instanceof RowsBusy) return [];
      return sweep([id], (unit, tasks) => putOffAll(unit, tasks, String(reason)));
    };
    const results = await bisect(due, async (ids) => [await sweep(ids, actOnTimers)], putOffOne);
    return report(results.flat());
  }
}

async function actOnTimers(unit: UnitOfWork, due: readonly LoadedTask[]): Promise<TimerResult[]> {
  const works = due.map((loaded) =>
    workOn(loaded, SYSTEM, systemCommand(loaded.task.due_action ?? ""), null),
  );
  await unit.registry.loadFacts(unit.tx, unit.org_id, works);
  const results = works.map((work): TimerResult => {
    const why = act(unit, work);
    if (why !== null) putOff(unit, work, why);
    return { task_id: work.task.id, why };
  });
  await unit.settle();
  unit.write();
  return results;
}

async function putOffAll(unit: UnitOfWork, due: readonly LoadedTask[], why: string): Promise<TimerResult[]> {
  for (const loaded of due) putOff(unit, loaded, why);
  await unit.settle();
  unit.write();
  return due.map(({ task }) => ({ task_id: task.id, why }));
}

/** Performs a timer's action and returns null, or the reason why it failed; a faulty task must not stop the others. */
function act(unit: UnitOfWork, work: Work): string | null {
  try {
    const settled = unit.decide(work);
    return isRefusal(settled) ? settled.code : settled.kind === "deferred" ? "DEFERRED" : null;
  } catch (error) {
    return String(error);
  }
}

/** Moves a timer whose action was refused: after a heartbeat to its new time, otherwise by the retry delay. */
function putOff(unit: UnitOfWork, { lifecycle, task, settings }: LoadedTask, why: string): void {
  const next = nextTimer(lifecycle.statuses[task.status]?.timers ?? [], task, settings);
  const later = unit.now + RETRY_DELAY_MS;
  const due_at = next && why === "NOT_DUE" ? Math.max(next.due_at, unit.now + 1) : later;
  unit.touch(task.id, { due_at, due_action: next?.due_action ?? task.due_action });
}

function report(results: readonly TimerResult[]): Swept {
  const postponed = results.flatMap(({ task_id, why }) =>
    why === null || why === "NOT_DUE" ? [] : [{ task_id, why }],
  );
  return {
    checked: results.length,
    moved: results.filter(({ why }) => why === null).length,
    postponed,
  };
}
