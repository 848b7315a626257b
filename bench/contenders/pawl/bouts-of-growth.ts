import { setTimeout as pause } from "node:timers/promises";
import { timed as justTimed } from "../../contender.ts";
import type { Bouts, Terms } from "../../contender.ts";
import { drain, fill } from "../errand-queue.ts";
import { accepted, queueOf } from "./errands.ts";
import type { Tools } from "./errands.ts";
import { errand } from "./errand.ts";

/** What is asked of Pawl alone: does it stay as quick, as small and as lean as it was? */
export function boutsOfGrowth({ pawl, by, timed }: Tools): Bouts {
  const queue = queueOf(pawl, by);
  return {
    /** One claim after the other; what is claimed stays claimed. */
    claim: ({ claims = 0, batch = 1 }: Terms) =>
      timed("claim", claims, async () => {
        for (let n = 0; n < claims; n++)
          accepted(await pawl.claim(by, { lifecycle: errand.name, limit: batch }));
      }),
    /** One sweep after the other; `figures.moved` says what they found to do. */
    async sweep({ sweeps = 0 }: Terms) {
      let moved = 0;
      const bout = await timed("sweep", sweeps, async () => {
        for (let n = 0; n < sweeps; n++) moved += (await pawl.sweep()).moved;
      });
      return { ...bout, figures: { moved } };
    },
    /** So many go out as come in: created, claimed and finished; those finished before `before` are pruned. */
    churn: ({ tasks = 0, before = 0 }: Terms) =>
      justTimed(tasks, async () => {
        await fill(queue, tasks);
        await drain(queue, { batch: 250, limit: tasks });
        await pawl.prune({ org_id: by.org_id, before });
      }),
    /** Tasks go through the process, and the largest heap that was seen on the way is told. */
    async passThrough({ tasks = 0 }: Terms) {
      const watch = watchHeap();
      const bout = await justTimed(tasks, async () => {
        await fill(queue, tasks);
        await Promise.all(Array.from({ length: 4 }, () => drain(queue, { batch: 250 })));
      });
      return { ...bout, figures: { heap: await watch.stop(), rss: process.memoryUsage.rss() } };
    },
  };
}

/** Looks at the heap again and again until it is stopped; gives the most that it saw. */
export function watchHeap(): { stop: () => Promise<number> } {
  const over = new AbortController();
  let most = 0;
  const look = () => (most = Math.max(most, process.memoryUsage().heapUsed));
  const watching = (async () => {
    while (!over.signal.aborted) {
      look();
      await pause(5, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await watching;
      return look();
    },
  };
}
