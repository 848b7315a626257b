import { v7 as uuidv7 } from "uuid";
import type { Actor, Instant } from "../../core/index.ts";
import type { Defect } from "./sql/defects.ts";

/** The fields of a defect that its reporter gives. */
export type DefectInput = Pick<Defect, "description" | "severity"> & {
  cause?: string | null | undefined;
  what_to_fix?: string | null | undefined;
};

/** Creates a defect that is not fixed yet. */
export function newDefect(
  input: DefectInput,
  links: Pick<Defect, "project_id" | "task_id" | "fix_task_id">,
  actor: Actor,
  now: Instant,
): Defect {
  return {
    id: uuidv7(),
    ...links,
    description: input.description,
    cause: input.cause ?? null,
    what_to_fix: input.what_to_fix ?? null,
    severity: input.severity,
    reported_by: actor.id,
    reported_at: now,
    how_fixed: null,
    fixed_by: null,
    fixed_at: null,
  };
}
