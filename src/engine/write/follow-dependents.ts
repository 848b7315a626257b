import type { Instant, JsonObject } from "../../core/index.ts";
import { failedBlocker, failureAction } from "./failed-blockers.ts";
import { findDependents, resolveDependencies } from "../sql/dependencies.ts";
import type { OnFailure } from "../sql/dependencies.ts";
import type { Write } from "../sql/statement.ts";
import { isFinal, isSuccess } from "../task-row.ts";
import type { Tx } from "../transaction.ts";
import type { LoadedTask, Move } from "./work.ts";

type Edge = { task_id: string; blocker_id: string; on_failure: OnFailure };

/** The part of UnitOfWork used here. */
type Unit = {
  readonly tx: Tx;
  readonly org_id: string;
  readonly now: Instant;
  readonly tasks: ReadonlyMap<string, LoadedTask>;
  lockAll(ids: readonly string[]): Promise<void>;
  touch(id: string, change: { open_blockers: number; updated_at: Instant }): void;
  startTimer(id: string): void;
  decideAsSystem(id: string, action: string, input?: JsonObject): void;
  send(write: Write): void;
};

/** Applies a round of moves to their dependents: decrements counters and queues system moves for tasks that are now unblocked. */
export async function followDependents(unit: Unit, moves: readonly Move[]): Promise<void> {
  const changed = new Set(moves.map(({ after }) => after.id));
  const finished = new Map(
    moves.filter((move) => move.work.awaited && finishes(move)).map((move) => [move.after.id, move]),
  );
  if (finished.size > 0) {
    const edges = await findDependents(unit.tx, unit.org_id, [...finished.keys()]);
    await unit.lockAll([...new Set(edges.map((edge) => edge.task_id))]);
    const resolved = edges.filter((edge) => resolves(finished.get(edge.blocker_id), edge));
    const resolvedEdges = new Set(resolved);
    for (const [task_id, count] of countBy(resolved)) {
      const task = unit.tasks.get(task_id)?.task;
      // No later event of the dependent is earlier than the end of its blocker, also by the estimated clock of another node.
      if (task)
        unit.touch(task_id, {
          open_blockers: Math.max(0, task.open_blockers - count),
          updated_at: Math.max(task.updated_at, unit.now),
        });
      changed.add(task_id);
    }
    if (resolved.length > 0) unit.send(resolveDependencies(unit.org_id, resolved));
    for (const edge of edges) if (!resolvedEdges.has(edge)) reactToFailure(unit, edge);
  }
  for (const id of changed) {
    const known = unit.tasks.get(id);
    const action = known && unblockedBy(known);
    if (action != null) unit.decideAsSystem(id, action);
  }
}

/** Whether a move finishes its task. */
export function finishes({ work: { lifecycle, task }, after }: Pick<Move, "work" | "after">): boolean {
  return isFinal(lifecycle, after.status) && !isFinal(lifecycle, task.status);
}

/** Returns the action by which the system moves an unblocked task on; null if the task is blocked or its status has no such action. */
export function unblockedBy({ lifecycle: { unblocks }, task }: Pick<LoadedTask, "lifecycle" | "task">) {
  const { status, open_blockers, open_holds } = task;
  return status === unblocks?.from && open_blockers === 0 && open_holds === 0 ? unblocks.action : null;
}

function resolves(move: Move | undefined, { on_failure }: Edge): boolean {
  if (!move) return false;
  return isSuccess(move.work.lifecycle, move.after.status) || on_failure === "proceed";
}

function reactToFailure(unit: Unit, { task_id, blocker_id, on_failure }: Edge): void {
  const action = failureAction(unit.tasks.get(task_id)?.lifecycle.unblocks ?? null, on_failure);
  if (action) unit.decideAsSystem(task_id, action, failedBlocker(blocker_id));
  else unit.startTimer(task_id);
}

function countBy(edges: readonly Edge[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { task_id } of edges) counts.set(task_id, (counts.get(task_id) ?? 0) + 1);
  return counts;
}
