import { canSee } from "../../core/index.ts";
import type { Actor, Task } from "../../core/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { lockBlockers } from "../sql/dependencies.ts";
import { waitsFor } from "../sql/waits-for.ts";
import type { Edge } from "../sql/waits-for.ts";
import type { Tx } from "../transaction.ts";

/** A task that another one is about to wait for. */
export type NamedBlocker = { id: string; status: string; final: boolean; waits_for_this: boolean };

/** Locks the task that each input names as `blocker_id`; null if the actor sees no such task in the project. */
export async function namedBlockers(
  tx: Tx,
  org_id: string,
  asks: readonly { task: Task; actor: Actor; input: { blocker_id?: unknown } }[],
): Promise<(NamedBlocker | null)[]> {
  const named = asks.map(({ input }) =>
    typeof input.blocker_id === "string" ? input.blocker_id.toLowerCase() : "",
  );
  const rows = await lockBlockers(tx, org_id, [...new Set(named)].filter(isUuid));
  const known = new Map(rows.map((row) => [row.id, row]));
  const unsaved: Edge[] = [];
  const found: (NamedBlocker | null)[] = [];
  for (const [index, { task, actor }] of asks.entries()) {
    const row = known.get(named[index] ?? "");
    if (row?.project_id !== task.project_id || !canSee(actor, row)) {
      found.push(null);
      continue;
    }
    const { id, status, final } = row;
    const back = { task_id: id, blocker_id: task.id };
    found.push({ id, status, final, waits_for_this: await waitsFor(tx, org_id, back, unsaved) });
    unsaved.push({ task_id: task.id, blocker_id: id });
  }
  return found;
}
