import { compareContenders } from "../compare-contenders.ts";
import type { Report } from "../report.ts";
import type { RatioAim } from "../compare.ts";
import type { Environment } from "../environment.ts";

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

/** Workers in one process that claim one task at a time and finish it. */
export async function fleet(env: Environment): Promise<Report[]> {
  const reports: Report[] = [];
  for (const workers of [64, 256] as const) {
    env.log(`${workers} workers`);
    reports.push(await fleetOf(env, workers));
  }
  return reports;
}

function fleetOf(env: Environment, workers: keyof typeof AIMS): Promise<Report> {
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
      "Pawl sends a new idempotency key with every claim and every finish. pg-boss: fetches one job and completes it. graphile-worker: no local queue, no batched completion. BullMQ: one Worker with this concurrency.",
    ],
  });
}
