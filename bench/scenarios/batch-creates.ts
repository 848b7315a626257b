import { race } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

/** Tasks are created many at a time. */
export function batchCreates(stage: Stage): Promise<Report> {
  const modes = [
    { callers: 4, batch: 1000 },
    { callers: 2, batch: 1000 },
    { callers: 4, batch: 500 },
    { callers: 8, batch: 250 },
  ];
  return race(stage, {
    title: "Create in batches",
    unit: "tasks/s",
    bout: "createInBatches",
    rounds: [7, 3],
    runners: {
      Pawl: { modes },
      "Pawl without keys": { contender: "Pawl", terms: { keys: 0 }, modes },
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
