import { deadBlocker, onFailure } from "./dead-blockers.ts";
import type { Ledger } from "./ledger.ts";
import { findDependents, resolveDependencies } from "./statements/dependencies.ts";
import type { OnFailure } from "./statements/dependencies.ts";
import { isFinal, isSuccess } from "./task-row.ts";
import { isAtOnce, mustHold } from "./transaction.ts";
import type { Tx } from "./transaction.ts";
import type { Move } from "./work.ts";
import type { Workshop } from "./workshop.ts";

type Edge = { task_id: string; blocker_id: string; on_failure: OnFailure };

/** What a round of moves means for those who waited: counters fall, and who waits for nothing any more moves on, in the next round. */
export async function settleDependents(
  workshop: Workshop,
  tx: Tx,
  ledger: Ledger,
  moves: readonly Move[],
): Promise<void> {
  // Somebody may begin to wait for a task just now: only under its lock is it known who does.
  if (isAtOnce(tx) && moves.some(finishes)) mustHold(tx);
  const changed = new Set(moves.map(({ after }) => after.id));
  const finished = new Map(moves.filter(hasFinished).map((move) => [move.after.id, move]));
  if (finished.size > 0) {
    const edges = await findDependents(tx, ledger.org_id, [...finished.keys()]);
    await lockUnknown(workshop, tx, ledger, edges);
    const resolved = edges.filter((edge) => resolves(finished.get(edge.blocker_id), edge));
    const settled = new Set(resolved);
    for (const [task_id, count] of countBy(resolved)) {
      const known = ledger.tasks.get(task_id);
      if (known) ledger.touch(task_id, { open_blockers: Math.max(0, known.task.open_blockers - count) });
      changed.add(task_id);
    }
    resolveDependencies(tx, ledger.org_id, resolved);
    for (const edge of edges) if (!settled.has(edge)) tellOfDeadBlocker(ledger, edge);
  }
  for (const id of changed) moveOnIfClear(ledger, id);
}

function hasFinished(move: Move): boolean {
  return move.work.hasDependents && finishes(move);
}

function finishes({ work: { lifecycle, task }, after }: Move): boolean {
  return isFinal(lifecycle, after.status) && !isFinal(lifecycle, task.status);
}

function resolves(move: Move | undefined, { on_failure }: Edge): boolean {
  if (!move) return false;
  return isSuccess(move.work.lifecycle, move.after.status) || on_failure === "proceed";
}

async function lockUnknown(
  workshop: Workshop,
  tx: Tx,
  ledger: Ledger,
  edges: readonly Edge[],
): Promise<void> {
  const ids = [...new Set(edges.map((edge) => edge.task_id))].filter((id) => !ledger.tasks.has(id));
  if (ids.length === 0) return;
  for (const locked of (await workshop.lock(tx, ledger.org_id, ids)).tasks.values()) {
    ledger.tasks.set(locked.task.id, locked);
  }
}

function tellOfDeadBlocker(ledger: Ledger, { task_id, blocker_id, on_failure }: Edge): void {
  const action = onFailure(ledger.tasks.get(task_id)?.lifecycle.unblocks ?? null, on_failure);
  if (action) ledger.decideAsSystem(task_id, action, deadBlocker(blocker_id));
}

function moveOnIfClear(ledger: Ledger, id: string): void {
  const known = ledger.tasks.get(id);
  if (!known) return;
  const { unblocks } = known.lifecycle;
  const { status, open_blockers, open_holds } = known.task;
  if (status !== unblocks?.from || open_blockers > 0 || open_holds > 0) return;
  ledger.decideAsSystem(id, unblocks.action);
}

function countBy(edges: readonly Edge[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { task_id } of edges) counts.set(task_id, (counts.get(task_id) ?? 0) + 1);
  return counts;
}
