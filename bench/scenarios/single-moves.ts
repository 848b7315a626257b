import { compareContenders } from "../compare-contenders.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const BY_HAND =
  "By hand: one statement per move that updates the row if status and version match and inserts a journal row; no key.";

/** Makes guarded moves one by one from 64 callers, each with the last known version. */
export function movesOf64Callers(env: Environment): Promise<Report> {
  const params = { callers: 64, tasks: 1_000 };
  return compareContenders(env, {
    title: "Guarded moves one by one, 64 callers",
    unit: "moves/s",
    workload: "moveOneByOne",
    pieces: "moves",
    rounds: [7, 3],
    runners: {
      Pawl: { params, modes: [{}] },
      "Pawl without keys": { contender: "Pawl", params: { ...params, keys: 0 }, modes: [{}] },
      "Pawl 0.1.0": { params, modes: [{}] },
      "by hand": { params, modes: [{ pool: 20 }, { pool: 10 }, { pool: 64 }] },
    },
    aims: [
      { of: ["by hand"], atLeast: 2 },
      { of: ["Pawl without keys"], atMostTime: 1.15, floor: 1.15 },
    ],
    notes: [BY_HAND],
  });
}

/** Makes guarded moves from a single caller, which cannot share a group commit. */
export function movesOfOneCaller(env: Environment): Promise<Report> {
  const params = { callers: 1, tasks: 100 };
  return compareContenders(env, {
    title: "Guarded moves one by one, one caller",
    unit: "moves/s",
    workload: "moveOneByOne",
    pieces: "moves",
    rounds: [7, 3],
    runners: {
      Pawl: { params, modes: [{}] },
      "Pawl without keys": { contender: "Pawl", params: { ...params, keys: 0 }, modes: [{}] },
      "by hand": { params, modes: [{ pool: 1 }] },
    },
    aims: [{ of: ["by hand"], atMostTime: 1.6 }],
    notes: [BY_HAND],
  });
}
