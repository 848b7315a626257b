import { setTimeout as pause } from "node:timers/promises";
import { timed as timedOnly } from "../../contender.ts";
import type { Workloads, Params } from "../../contender.ts";
import { drain, fill } from "../errand-queue.ts";
import { accepted, queueOf } from "./pawl-queue.ts";
import type { Tools } from "./pawl-queue.ts";
import { errand } from "./errand.ts";

/** Workloads for Pawl alone: do speed, table size and memory stay the same over time? */
export function growthWorkloads({ pawl, caller, timed }: Tools): Workloads {
  const queue = queueOf(pawl, caller);
  return {
    /** Makes one claim after the other, without finishing the tasks. */
    claim: ({ claims = 0, batch = 1 }: Params) =>
      timed("claim", claims, async () => {
        for (let n = 0; n < claims; n++)
          accepted(await pawl.claim(caller, { lifecycle: errand.name, limit: batch }));
      }),
    /** Makes one sweep after the other; `figures.moved` is the number of tasks moved. */
    async sweep({ sweeps = 0 }: Params) {
      let moved = 0;
      const measurement = await timed("sweep", sweeps, async () => {
        for (let n = 0; n < sweeps; n++) moved += (await pawl.sweep()).moved;
      });
      return { ...measurement, figures: { moved } };
    },
    /** Creates, claims and finishes tasks, and prunes those finished before `before`. */
    churn: ({ tasks = 0, before = 0 }: Params) =>
      timedOnly(tasks, async () => {
        await fill(queue, tasks);
        await drain(queue, { batch: 250, limit: tasks });
        await pawl.prune({ org_id: caller.org_id, before });
      }),
    /** Creates and finishes tasks; `figures.heap` is the peak of the heap meanwhile. */
    async passThrough({ tasks = 0 }: Params) {
      const watch = watchHeap();
      const measurement = await timedOnly(tasks, async () => {
        await fill(queue, tasks);
        await Promise.all(Array.from({ length: 4 }, () => drain(queue, { batch: 250 })));
      });
      return { ...measurement, figures: { heap: await watch.stop(), rss: process.memoryUsage.rss() } };
    },
  };
}

/** Samples the heap until it is stopped; `stop` returns the peak. */
export function watchHeap(): { stop: () => Promise<number> } {
  const over = new AbortController();
  let peak = 0;
  const sample = () => (peak = Math.max(peak, process.memoryUsage().heapUsed));
  const watching = (async () => {
    while (!over.signal.aborted) {
      sample();
      await pause(5, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await watching;
      return sample();
    },
  };
}
