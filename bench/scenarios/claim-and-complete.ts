import { compareContenders } from "../compare-contenders.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

/** Claims and completes tasks in batches until none is left. */
export function claimAndComplete(env: Environment): Promise<Report> {
  const modes = [
    { callers: 4, batch: 500 },
    { callers: 2, batch: 500 },
    { callers: 2, batch: 1000 },
    { callers: 4, batch: 1000 },
  ];
  return compareContenders(env, {
    title: "Claim and complete in batches",
    unit: "tasks/s",
    workload: "claimAndComplete",
    filled: true,
    rounds: [7, 3],
    runners: {
      Pawl: { modes },
      "Pawl without keys": { contender: "Pawl", params: { keys: 0 }, modes },
      "pg-boss": {
        modes: [
          { callers: 4, batch: 2000 },
          { callers: 2, batch: 2000 },
          { callers: 4, batch: 1000 },
          { callers: 2, batch: 1000 },
          { callers: 4, batch: 500 },
        ],
      },
      // `jobs` is the concurrency, `queue` the size of the local queue, `delay` the time for which completions are batched (ms).
      "graphile-worker": {
        modes: [
          { jobs: 100, queue: 5000, delay: 0 },
          { jobs: 50, queue: 2000, delay: 10 },
          { jobs: 100, queue: 2000, delay: 0 },
          { jobs: 50, queue: 1000, delay: 0 },
        ],
      },
      BullMQ: {
        modes: [
          { workers: 4, concurrency: 50 },
          { workers: 1, concurrency: 100 },
          { workers: 4, concurrency: 200 },
          { workers: 1, concurrency: 500, pipelining: 1 },
        ],
      },
    },
    aims: [
      { of: ["pg-boss", "graphile-worker"], atLeast: 0.75, floor: 0.6 },
      { of: ["BullMQ"], atLeast: 1.5 },
    ],
    notes: ["Pawl sends an idempotency key with every call that claims or finishes a batch."],
  });
}
