import { v7 as uuidv7 } from "uuid";
import type { Actor, Instant } from "../../core/index.ts";
import type { Defect } from "./sql/defects.ts";

/** What is said of a defect when it is found. */
export type SaidOfDefect = Pick<Defect, "description" | "severity"> & {
  cause?: string | null | undefined;
  what_to_fix?: string | null | undefined;
};

/** A defect as it is found: how it is mended will be told when it is. */
export function newDefect(
  said: SaidOfDefect,
  place: Pick<Defect, "project_id" | "task_id" | "fix_task_id">,
  actor: Actor,
  now: Instant,
): Defect {
  return {
    id: uuidv7(),
    ...place,
    description: said.description,
    cause: said.cause ?? null,
    what_to_fix: said.what_to_fix ?? null,
    severity: said.severity,
    reported_by: actor.id,
    reported_at: now,
    how_fixed: null,
    fixed_by: null,
    fixed_at: null,
  };
}
