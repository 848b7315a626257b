import { compareContenders } from "../compare-contenders.ts";
import type { Report } from "../report.ts";
import type { RatioAim } from "../compare.ts";
import type { Environment } from "../environment.ts";

const COST_OF_KEYS: RatioAim = { of: ["Pawl without keys"], atMostTime: 1.15, floor: 1.15 };
const AIMS = {
  64: [
    { of: ["pg-boss"], atLeast: 3, floor: 2 },
    { of: ["graphile-worker"], atLeast: 2, floor: 1.5 },
    { of: ["Pawl 0.1.0"], atLeast: 8 },
    COST_OF_KEYS,
  ],
  256: [{ of: ["BullMQ"], atLeast: 0.8 }, COST_OF_KEYS],
} as const;

/** Measures workers in one process; each claims one task at a time and finishes it. */
export async function fleet(env: Environment): Promise<Report[]> {
  const reports: Report[] = [];
  for (const workers of [64, 256] as const) {
    env.log(`${workers} workers`);
    reports.push(await compareFleets(env, workers));
  }
  return reports;
}

function compareFleets(env: Environment, workers: keyof typeof AIMS): Promise<Report> {
  const params = { workers };
  const pools = [{ pool: 20 }, { pool: 10 }, { pool: 64 }];
  return compareContenders(env, {
    title: `Fleet of ${workers} workers, one task at a time`,
    unit: "tasks/s",
    workload: "fleet",
    filled: true,
    rounds: [9, 3],
    runners: {
      Pawl: { params, modes: [{}] },
      "Pawl without keys": { contender: "Pawl", params: { ...params, keys: 0 }, modes: [{}] },
      "Pawl 0.1.0": { params, modes: [{}] },
      "pg-boss": { params, modes: pools },
      "graphile-worker": { params, modes: pools },
      BullMQ: { params, modes: [{ pipelining: 1 }, { pipelining: 0 }] },
    },
    aims: AIMS[workers],
    notes: [
      "Pawl sends a new idempotency key with every claim and every finish. pg-boss: fetches one job and completes it. graphile-worker: no local queue, no batched completion. BullMQ: one Worker, whose concurrency is the number of workers.",
    ],
  });
}
