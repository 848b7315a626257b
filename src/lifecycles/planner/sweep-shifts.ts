import type { SweepTools } from "../../plugin/index.ts";
import { expandDuePatterns } from "./expand-patterns.ts";
import { releaseEndedShifts } from "./release-shifts.ts";

/** Makes the shifts of patterns, then releases the tasks of ended shifts, even if the first part fails. */
export async function sweepShifts(tools: SweepTools): Promise<void> {
  const expanded = await Promise.allSettled([expandDuePatterns(tools)]);
  await releaseEndedShifts(tools);
  for (const one of expanded) if (one.status === "rejected") throw one.reason;
}
