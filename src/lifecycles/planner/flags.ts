import type { Change } from "../../core/index.ts";
import type { PlannerData } from "./fields.ts";

type Flagged = Pick<PlannerData, "flags" | "open_escalations">;

/** What a flag is about that is about no blocker. */
export const END_OF_SHIFT = "shift";

/** A change that takes a flag down with it whose cause is gone; nobody needs to look where nothing else is open. */
export function unflagging(before: Flagged, about: string, change: Change<PlannerData>): Change<PlannerData> {
  if (!before.flags.some((flag) => flag.about === about)) return change;
  const flags = before.flags.filter((flag) => flag.about !== about);
  const needs_attention = needsAttention({ ...before, flags });
  return { ...change, needs_attention, data: { ...change.data, flags } };
}

export function needsAttention({ open_escalations, flags }: Flagged): boolean {
  return open_escalations > 0 || flags.length > 0;
}
