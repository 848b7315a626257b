import type { By, NewTask, Pawl, Refusal } from "../../../src/index.ts";
import { fromCallers } from "../../contender.ts";
import { errand } from "./errand.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** What every bout has at hand: Pawl, a member of org `main`, and the same of any other org. */
export type Tools = { pawl: Pawl; by: By; memberOf: (org_id: string) => Promise<By>; timed: Stopwatch };

/** How many at a time, where that is not what is measured. */
const BATCH = 500;

export async function createErrands(
  pawl: Pawl,
  by: By,
  count: number,
  more: (n: number) => Partial<NewTask> = () => ({}),
): Promise<string[]> {
  const made = await pawl.create(
    by,
    Array.from({ length: count }, (_, n) => ({
      lifecycle: errand.name,
      file: `report-${n}.pdf`,
      ...more(n),
    })),
  );
  return accepted(made).tasks.map((task) => task.id);
}

/** Lays many errands ready. */
export async function fill(pawl: Pawl, by: By, count: number): Promise<void> {
  await fromCallers(2, Math.ceil(count / BATCH), (n) =>
    createErrands(pawl, by, Math.min(BATCH, count - n * BATCH)),
  );
}

/** Claims and finishes until the pool is empty, or so many are done; says how many were. */
export async function drain(pawl: Pawl, by: By, batch: number, most = Infinity): Promise<number> {
  for (let done = 0; ;) {
    const limit = Math.min(batch, most - done);
    if (limit < 1) return done;
    const { tasks } = accepted(await pawl.claim(by, { lifecycle: errand.name, limit }));
    if (tasks.length === 0) return done;
    const finished = await pawl.performMany(
      by,
      tasks.map(({ task, lease_token }) => ({
        task_id: task.id,
        action: "finish",
        payload: { result: "sent" },
        lease_token,
      })),
    );
    done += finished.map(accepted).length;
  }
}

/** A benchmark in which anything is refused measures the wrong thing. */
export function accepted<T extends { kind: string }>(answer: T | Refusal): T {
  if (answer.kind === "refused") throw new Error((answer as Refusal).detail);
  return answer as T;
}
