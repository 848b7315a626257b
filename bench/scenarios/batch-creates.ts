import { race } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

/** Tasks are created many at a time. */
export function batchCreates(stage: Stage): Promise<Report> {
  const work = { tasks: stage.quick ? 20_000 : 60_000 };
  return race(stage, {
    title: "Create in batches",
    unit: "tasks/s",
    bout: "createInBatches",
    rounds: [7, 3],
    runners: {
      Pawl: {
        work,
        modes: [
          { callers: 4, batch: 1000 },
          { callers: 2, batch: 1000 },
          { callers: 4, batch: 500 },
          { callers: 8, batch: 250 },
        ],
      },
      "pg-boss": {
        work,
        modes: [
          { callers: 4, batch: 1000 },
          { callers: 2, batch: 1000 },
          { callers: 4, batch: 3000 },
          { callers: 8, batch: 1000 },
        ],
      },
      "graphile-worker": {
        work,
        modes: [
          { callers: 4, batch: 1000 },
          { callers: 2, batch: 1000 },
          { callers: 4, batch: 3000 },
          { callers: 8, batch: 1000 },
        ],
      },
      BullMQ: {
        work,
        modes: [
          { callers: 4, batch: 500 },
          { callers: 2, batch: 2000 },
          { callers: 8, batch: 100 },
        ],
      },
    },
    aims: [{ ratio: 1.5, of: ["pg-boss", "graphile-worker", "BullMQ"] }],
  });
}
