import { race } from "../race.ts";
import type { Report } from "../report.ts";
import type { RatioAim } from "../compare.ts";
import type { Stage } from "../stage.ts";

const KEYS: RatioAim = { of: ["Pawl without keys"], atMostTime: 1.15, floor: 1.15 };
const AIMS = {
  64: [
    { of: ["pg-boss"], atLeast: 3, floor: 2 },
    { of: ["graphile-worker"], atLeast: 2, floor: 1.5 },
    { of: ["Pawl 0.1.0"], atLeast: 8 },
    KEYS,
  ],
  256: [{ of: ["BullMQ"], atLeast: 0.8 }, KEYS],
} as const;

/** Workers in one process; each claims one task and finishes it, again and again. */
export async function fleet(stage: Stage): Promise<Report[]> {
  const reports: Report[] = [];
  for (const workers of [64, 256] as const) {
    stage.tell(`${workers} workers`);
    reports.push(await fleetOf(stage, workers));
  }
  return reports;
}

function fleetOf(stage: Stage, workers: keyof typeof AIMS): Promise<Report> {
  const terms = { workers };
  const pools = [{ pool: 20 }, { pool: 10 }, { pool: 64 }];
  return race(stage, {
    title: `Fleet of ${workers} workers, one task at a time`,
    unit: "tasks/s",
    bout: "fleet",
    filled: true,
    rounds: [9, 3],
    runners: {
      Pawl: { terms, modes: [{}] },
      "Pawl without keys": { contender: "Pawl", terms: { ...terms, keys: 0 }, modes: [{}] },
      "Pawl 0.1.0": { terms, modes: [{}] },
      "pg-boss": { terms, modes: pools },
      "graphile-worker": { terms, modes: pools },
      BullMQ: { terms, modes: [{ pipelining: 1 }, { pipelining: 0 }] },
    },
    aims: AIMS[workers],
    notes: [
      "Pawl sends a fresh idempotency key with every claim and every finish. pg-boss: fetch of one and complete. graphile-worker: no local queue, no batched completion. BullMQ: one Worker with this concurrency.",
    ],
  });
}
