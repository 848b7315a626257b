import { race } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const BY_HAND =
  "By hand: one statement per move, an update guarded by status and version with a journal row beside it; no key.";

/** Each of 64 callers makes one guarded move after the other, with the version it saw last. */
export function movesOfMany(stage: Stage): Promise<Report> {
  const terms = { callers: 64, tasks: 1_000 };
  return race(stage, {
    title: "Guarded moves one by one, 64 callers",
    unit: "moves/s",
    bout: "moveOneByOne",
    pieces: "moves",
    rounds: [7, 3],
    runners: {
      Pawl: { terms, modes: [{}] },
      "Pawl without keys": { contender: "Pawl", terms: { ...terms, keys: 0 }, modes: [{}] },
      "Pawl 0.1.0": { terms, modes: [{}] },
      "by hand": { terms, modes: [{ pool: 20 }, { pool: 10 }, { pool: 64 }] },
    },
    aims: [
      { of: ["by hand"], atLeast: 2 },
      { of: ["Pawl without keys"], atMostTime: 1.15, floor: 1.15 },
    ],
    notes: [BY_HAND],
  });
}

/** One caller alone, which shares its commits with no other. */
export function movesOfOne(stage: Stage): Promise<Report> {
  const terms = { callers: 1, tasks: 100 };
  return race(stage, {
    title: "Guarded moves one by one, one caller",
    unit: "moves/s",
    bout: "moveOneByOne",
    pieces: "moves",
    rounds: [7, 3],
    runners: {
      Pawl: { terms, modes: [{}] },
      "Pawl without keys": { contender: "Pawl", terms: { ...terms, keys: 0 }, modes: [{}] },
      "by hand": { terms, modes: [{ pool: 1 }] },
    },
    aims: [{ of: ["by hand"], atMostTime: 1.6 }],
    notes: [BY_HAND],
  });
}
