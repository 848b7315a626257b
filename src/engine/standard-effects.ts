import { v7 as uuidv7 } from "uuid";
import { REMOVE_TASK } from "../core/index.ts";
import { placeHolds, releaseHolds } from "./sql/holds.ts";
import { removeDependencies } from "./sql/dependencies.ts";
import type { EffectHandler } from "./engine-plugin.ts";

/** Handlers of the side effects that every lifecycle can use. */
export const STANDARD_EFFECTS: Readonly<Record<string, EffectHandler>> = {
  place_hold: (tx, items, now) =>
    placeHolds(
      tx,
      orgOf(items),
      items.map(({ task, actor, effect }) => ({
        id: (effect.hold_id as string | undefined) ?? uuidv7(),
        task_id: task.id,
        kind: String(effect.hold_kind),
        reason: (effect.reason as string | null | undefined) ?? null,
        placed_by: actor.id,
      })),
      now,
    ),
  release_hold: (tx, items, now) =>
    releaseHolds(
      tx,
      orgOf(items),
      items.map(({ actor, effect }) => ({ id: String(effect.hold_id), released_by: actor.id })),
      now,
    ),
  // The row is deleted after the move is written; see UnitOfWork.write.
  [REMOVE_TASK]: () => Promise.resolve(),
  remove_dependency: (tx, items) =>
    removeDependencies(
      tx,
      orgOf(items),
      items.map(({ task, effect }) => ({ task_id: task.id, blocker_id: String(effect.blocker_id) })),
    ),
};

function orgOf(items: readonly { org_id: string }[]): string {
  return items[0]?.org_id ?? "";
}
