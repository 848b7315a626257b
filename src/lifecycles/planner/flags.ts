import type { Change } from "../../core/index.ts";
import type { PlannerData } from "./fields.ts";

type Flagged = Pick<PlannerData, "flags" | "open_escalations">;

/** The `about` of a flag that is not about a blocker. */
export const END_OF_SHIFT = "shift";

/** Adds to a change the removal of a flag whose cause is gone, and updates needs_attention. */
export function unflagging(before: Flagged, about: string, change: Change<PlannerData>): Change<PlannerData> {
  if (!before.flags.some((flag) => flag.about === about)) return change;
  const flags = before.flags.filter((flag) => flag.about !== about);
  const needs_attention = needsAttention({ ...before, flags });
  return { ...change, needs_attention, data: { ...change.data, flags } };
}

export function needsAttention({ open_escalations, flags }: Flagged): boolean {
  return open_escalations > 0 || flags.length > 0;
}
