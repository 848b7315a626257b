import { canSee } from "../core/index.ts";
import type { Actor } from "../core/index.ts";
import { readBlockers } from "./sql/dependencies.ts";
import type { OpenBlocker } from "./sql/dependencies.ts";
import { readHolds } from "./sql/holds.ts";
import type { FactLoader } from "./engine-plugin.ts";
import { rowsByTask } from "./rows-by-task.ts";

/** Loaders of the facts that every lifecycle has. Only refusals quote them, so they are read only for tasks with open blockers or holds. */
export const STANDARD_FACTS: Readonly<Record<string, FactLoader>> = {
  blockers: async (tx, org_id, asks) => {
    const waiting = asks.filter(({ task }) => task.open_blockers > 0).map(({ task }) => task.id);
    const rows = rowsByTask(await readBlockers(tx, org_id, waiting));
    return asks.map(({ task, actor }) => rows(task.id).map((row) => blockerFor(actor, row)));
  },
  holds: async (tx, org_id, asks) => {
    const held = asks.filter(({ task }) => task.open_holds > 0).map(({ task }) => task.id);
    const rows = rowsByTask(await readHolds(tx, org_id, held));
    return asks.map(({ task }) => rows(task.id).map(({ task_id: _, ...hold }) => hold));
  },
};

export const STANDARD_FACT_NAMES: ReadonlySet<string> = new Set(Object.keys(STANDARD_FACTS));

/** Shows only the id of a blocker that the caller cannot see. */
function blockerFor(actor: Actor, blocker: OpenBlocker) {
  const { id, title, status, final } = blocker;
  return canSee(actor, blocker) ? { id, title, status, final } : { id, status: "private" };
}
