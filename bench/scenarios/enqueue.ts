import { compareContenders } from "../compare-contenders.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

/** Measures how fast 64 callers create tasks one by one. */
export function enqueue(env: Environment): Promise<Report> {
  const params = { callers: 64 };
  const pools = [{ pool: 20 }, { pool: 10 }, { pool: 64 }];
  return compareContenders(env, {
    title: "Create one by one, 64 callers",
    unit: "tasks/s",
    workload: "createOneByOne",
    rounds: [7, 3],
    runners: {
      Pawl: { params, modes: [{}] },
      "Pawl without keys": { contender: "Pawl", params: { ...params, keys: 0 }, modes: [{}] },
      "Pawl 0.1.0": { params, modes: [{}] },
      "pg-boss": { params, modes: pools },
      "graphile-worker": { params, modes: pools },
      BullMQ: { params, modes: [{ pipelining: 1 }, { pipelining: 0 }] },
    },
    aims: [
      { of: ["pg-boss"], atLeast: 10 },
      { of: ["graphile-worker"], atLeast: 10 },
      { of: ["BullMQ"], atLeast: 1 },
      { of: ["Pawl without keys"], atMostTime: 1.15, floor: 1.15 },
    ],
    notes: [
      "Every task is created with a key that makes a retry safe: an idempotency key in Pawl, `id` in pg-boss, `jobKey` in graphile-worker, `jobId` in BullMQ.",
    ],
  });
}
