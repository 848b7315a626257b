import type { Refusal } from "../../core/index.ts";
import type { SweepTools } from "../../plugin/index.ts";
import { orgsWithEndedShifts, readLeftInHand, settleShifts } from "./sql/shifts.ts";
import type { LeftInHand } from "./sql/shifts.ts";

/** A task that stayed with its owner at the end of his shift, and why. */
type Kept = { task_id: string; code: string; detail: string };

/** What came of the end of a shift: tasks that went back to the pool, and those that stayed. */
export type Released = { released: string[]; kept: Kept[] };

const PAGE = 500;

/** At every sweep, on every node: the rules look at the owner and his shifts again, so that nothing is released twice. */
export async function releaseEndedShifts(tools: SweepTools): Promise<void> {
  const failures: unknown[] = [];
  for (const { org_id } of await tools.transaction(orgsWithEndedShifts)) {
    let walk: LeftInHand | null = { shift_id: null, after: null, limit: PAGE };
    while (walk !== null) {
      const page: LeftInHand = walk;
      const ids = await tools.transaction((tx) => readLeftInHand(tx, org_id, page));
      // One that fails does not stop the others.
      const tried = await Promise.allSettled(ids.map((id) => release(tools, org_id, id)));
      for (const one of tried) if (one.status === "rejected") failures.push(one.reason);
      walk = ids.length < PAGE ? null : { ...page, after: ids.at(-1) ?? null };
    }
    await tools.transaction((tx) => settleShifts(tx, org_id));
  }
  if (failures.length > 0) throw failures[0];
}

/** Releases what the members of one shift that is over still have; what cannot be released is tried again by every sweep. */
export async function releaseShift(tools: SweepTools, org_id: string, shift_id: string): Promise<Released> {
  const report: Released = { released: [], kept: [] };
  const left = { shift_id, after: null, limit: MOST_OF_A_SHIFT };
  for (const task_id of await tools.transaction((tx) => readLeftInHand(tx, org_id, left))) {
    const done = await release(tools, org_id, task_id);
    if (done === "released") report.released.push(task_id);
    else if (done !== "gone") report.kept.push(done);
  }
  return report;
}

/** A shift has up to a thousand members, each with a task and what was rejected; the sweep sees to the rest. */
const MOST_OF_A_SHIFT = 5_000;

async function release(
  { perform }: SweepTools,
  org_id: string,
  task_id: string,
): Promise<"released" | "gone" | Kept> {
  const done = await perform(org_id, { task_id, action: "shift_release" });
  if (done.kind === "performed") return "released";
  const { code, detail } = done;
  if (GONE.has(code)) return "gone";
  // Another shift that is running will end as well; nobody needs to look.
  if (code !== "SHIFT_NOT_OVER") await perform(org_id, { task_id, action: "flag", payload: flagOf(done) });
  return { task_id, code, detail };
}

/** Somebody else moved it meanwhile: it is no longer in hand. */
const GONE = new Set(["INVALID_TRANSITION", "TASK_NOT_FOUND"]);

function flagOf({ detail }: Refusal) {
  return { reason: `The shift is over, but it could not go back to the pool: ${detail}` };
}
