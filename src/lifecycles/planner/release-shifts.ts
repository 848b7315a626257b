import type { Refusal } from "../../core/index.ts";
import type { SweepTools } from "../../engine/lifecycle-parts.ts";
import { findEndedShifts, readLeftInHand, settleShift } from "./statements/shifts.ts";

/** What came of the end of a shift: tasks that went back to the pool, and those that stayed with their owners, and why. */
export type Released = { released: string[]; kept: { task_id: string; code: string; detail: string }[] };

/** At every sweep, on every node: the rules look at the owner and his shifts again, so that nothing is released twice. */
export async function releaseEndedShifts(tools: SweepTools): Promise<void> {
  for (const { org_id, id } of await tools.read(findEndedShifts)) await releaseShift(tools, org_id, id);
}

/** Releases what the members of a shift that is over still have; what cannot be released is tried again by the next sweep. */
export async function releaseShift(
  { read, perform }: SweepTools,
  org_id: string,
  shift_id: string,
): Promise<Released> {
  const report: Released = { released: [], kept: [] };
  for (const task_id of await read((tx) => readLeftInHand(tx, org_id, shift_id))) {
    const done = await perform(org_id, { task_id, action: "shift_release" });
    if (done.kind === "performed") {
      report.released.push(task_id);
      continue;
    }
    const { code, detail } = done;
    if (GONE.has(code)) continue;
    report.kept.push({ task_id, code, detail });
    // Another shift that is running will end as well; nobody needs to look.
    if (code !== "SHIFT_NOT_OVER") await perform(org_id, { task_id, action: "flag", payload: flagOf(done) });
  }
  if (report.kept.length === 0) await read((tx) => settleShift(tx, org_id, shift_id));
  return report;
}

/** Somebody else moved it meanwhile: it is no longer in hand. */
const GONE = new Set(["INVALID_TRANSITION", "TASK_NOT_FOUND"]);

function flagOf({ detail }: Refusal) {
  return { reason: `The shift is over, but it could not go back to the pool: ${detail}` };
}
