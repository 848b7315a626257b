import { compareContenders } from "../compare-contenders.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

/** Creates tasks in batches. */
export function batchCreates(env: Environment): Promise<Report> {
  const modes = [
    { callers: 4, batch: 1000 },
    { callers: 2, batch: 1000 },
    { callers: 4, batch: 500 },
    { callers: 8, batch: 250 },
  ];
  return compareContenders(env, {
    title: "Create in batches",
    unit: "tasks/s",
    workload: "createInBatches",
    rounds: [7, 3],
    runners: {
      Pawl: { modes },
      "Pawl without keys": { contender: "Pawl", params: { keys: 0 }, modes },
      "pg-boss": {
        modes: [
          { callers: 4, batch: 1000 },
          { callers: 2, batch: 1000 },
          { callers: 4, batch: 3000 },
          { callers: 8, batch: 1000 },
        ],
      },
      "graphile-worker": {
        modes: [
          { callers: 4, batch: 1000 },
          { callers: 2, batch: 1000 },
          { callers: 4, batch: 3000 },
          { callers: 8, batch: 1000 },
        ],
      },
      BullMQ: {
        modes: [
          { callers: 4, batch: 500 },
          { callers: 2, batch: 2000 },
          { callers: 8, batch: 100 },
        ],
      },
    },
    aims: [{ of: ["pg-boss", "graphile-worker"], atLeast: 0.9 }],
    notes: ["Pawl sends one idempotency key with every batch."],
  });
}
