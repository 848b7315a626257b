import { race } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

/** Each of 64 callers creates one task after the other. */
export function enqueue(stage: Stage): Promise<Report> {
  const terms = { callers: 64 };
  const pools = [{ pool: 20 }, { pool: 10 }, { pool: 64 }];
  return race(stage, {
    title: "Create one by one, 64 callers",
    unit: "tasks/s",
    bout: "createOneByOne",
    rounds: [7, 3],
    runners: {
      Pawl: { terms, modes: [{}] },
      "Pawl without keys": { contender: "Pawl", terms: { ...terms, keys: 0 }, modes: [{}] },
      "Pawl 0.1.0": { terms, modes: [{}] },
      "pg-boss": { terms, modes: pools },
      "graphile-worker": { terms, modes: pools },
      BullMQ: { terms, modes: [{ pipelining: 1 }, { pipelining: 0 }] },
    },
    aims: [
      { of: ["pg-boss"], atLeast: 10 },
      { of: ["graphile-worker"], atLeast: 10 },
      { of: ["BullMQ"], atLeast: 1 },
      { of: ["Pawl without keys"], atMostTime: 1.15, floor: 1.15 },
    ],
    notes: [
      "Every task has a key that makes a repeated create harmless: an idempotency key in Pawl, `id` in pg-boss, `jobKey` in graphile-worker, `jobId` in BullMQ.",
    ],
  });
}
