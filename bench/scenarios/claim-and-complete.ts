import { race } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

/** Tasks are claimed and completed in batches until none is left. */
export function claimAndComplete(stage: Stage): Promise<Report> {
  const work = { tasks: stage.quick ? 10_000 : 40_000 };
  return race(stage, {
    title: "Claim and complete in batches",
    unit: "tasks/s",
    bout: "claimAndComplete",
    filled: true,
    rounds: [7, 3],
    runners: {
      Pawl: {
        work,
        modes: [
          { callers: 2, batch: 1000 },
          { callers: 4, batch: 1000 },
          { callers: 2, batch: 500 },
          { callers: 4, batch: 500 },
          { callers: 4, batch: 250 },
          { callers: 8, batch: 100 },
        ],
      },
      "pg-boss": {
        work,
        modes: [
          { callers: 4, batch: 2000 },
          { callers: 2, batch: 2000 },
          { callers: 4, batch: 1000 },
          { callers: 2, batch: 1000 },
          { callers: 4, batch: 500 },
        ],
      },
      // `jobs` run at once, `queue` is what the local queue fetches, `delay` what a completion waits for others (ms).
      "graphile-worker": {
        work,
        modes: [
          { jobs: 100, queue: 5000, delay: 0 },
          { jobs: 50, queue: 2000, delay: 10 },
          { jobs: 100, queue: 2000, delay: 0 },
          { jobs: 50, queue: 1000, delay: 0 },
        ],
      },
      BullMQ: {
        work,
        modes: [
          { workers: 4, concurrency: 50 },
          { workers: 1, concurrency: 100 },
          { workers: 4, concurrency: 200 },
          { workers: 1, concurrency: 500, pipelining: 1 },
        ],
      },
    },
    aims: [{ ratio: 1.2, of: ["pg-boss", "graphile-worker", "BullMQ"] }],
  });
}
