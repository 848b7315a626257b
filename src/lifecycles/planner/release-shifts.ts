import type { Refusal } from "../../core/index.ts";
import type { SweepTools } from "../../plugin/index.ts";
import { orgsWithEndedShifts, readLeftInHand, settleShifts } from "./sql/shifts.ts";
import type { LeftInHand } from "./sql/shifts.ts";

/** A task that stayed with its owner at the end of a shift, and the reason. */
type KeptTask = { task_id: string; code: string; detail: string };

/** The result of the end of a shift: tasks that returned to the pool, and tasks that stayed. */
export type Released = { released: string[]; kept: KeptTask[] };

const PAGE_SIZE = 500;

/** Releases tasks of ended shifts at every sweep of every node. The rules check owner and shifts again, so nothing is released twice. */
export async function releaseEndedShifts(tools: SweepTools): Promise<void> {
  const failures: unknown[] = [];
  for (const { org_id } of await tools.transaction(orgsWithEndedShifts)) {
    let next: LeftInHand | null = { shift_id: null, after: null, limit: PAGE_SIZE };
    while (next !== null) {
      const page: LeftInHand = next;
      const ids = await tools.transaction((tx) => readLeftInHand(tx, org_id, page));
      // A failure does not stop the other releases.
      const results = await Promise.allSettled(ids.map((id) => release(tools, org_id, id)));
      for (const one of results) if (one.status === "rejected") failures.push(one.reason);
      next = ids.length < PAGE_SIZE ? null : { ...page, after: ids.at(-1) ?? null };
    }
    await tools.transaction((tx) => settleShifts(tx, org_id));
  }
  if (failures.length > 0) throw failures[0];
}

/** Releases the tasks that the members of an ended shift still own. Every sweep retries those that cannot be released. */
export async function releaseShift(tools: SweepTools, org_id: string, shift_id: string): Promise<Released> {
  const report: Released = { released: [], kept: [] };
  const left = { shift_id, after: null, limit: MAX_TASKS_PER_SHIFT };
  for (const task_id of await tools.transaction((tx) => readLeftInHand(tx, org_id, left))) {
    const done = await release(tools, org_id, task_id);
    if (done === "released") report.released.push(task_id);
    else if (done !== "gone") report.kept.push(done);
  }
  return report;
}

/** A shift has at most 1,000 members, each with one task and possibly rejected ones; the sweep releases the rest. */
const MAX_TASKS_PER_SHIFT = 5_000;

async function release(
  { perform }: SweepTools,
  org_id: string,
  task_id: string,
): Promise<"released" | "gone" | KeptTask> {
  const done = await perform(org_id, { task_id, action: "shift_release" });
  if (done.kind === "performed") return "released";
  const { code, detail } = done;
  if (GONE.has(code)) return "gone";
  // Another shift is running: its end will release the task, so no attention is needed.
  if (code !== "SHIFT_NOT_OVER") await perform(org_id, { task_id, action: "flag", payload: flagOf(done) });
  return { task_id, code, detail };
}

/** Refusals of a task that was moved or deleted meanwhile. */
const GONE = new Set(["INVALID_TRANSITION", "TASK_NOT_FOUND"]);

function flagOf({ detail }: Refusal) {
  return { reason: `The shift has ended, but the task could not return to the pool: ${detail}` };
}
