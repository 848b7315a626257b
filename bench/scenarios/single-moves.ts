import { race } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

/** Each of 64 callers makes one guarded move after the other, with the version it saw last. */
export function movesOfMany(stage: Stage): Promise<Report> {
  const callers = 64;
  return race(stage, {
    title: "Guarded moves one by one, 64 callers",
    unit: "moves/s",
    bout: "moveOneByOne",
    rounds: [7, 3],
    runners: {
      Pawl: { work: { callers, tasks: 1_000, moves: stage.quick ? 8_000 : 24_000 }, modes: [{ pool: 10 }] },
      "by hand": {
        work: { callers, tasks: 1_000, moves: stage.quick ? 3_000 : 10_000 },
        modes: [{ pool: 10 }, { pool: 20 }, { pool: 64 }],
      },
    },
    aims: [{ ratio: 3, of: ["by hand"] }],
    notes: [
      "By hand: one statement per move, an update guarded by status and version with a journal row beside it.",
    ],
  });
}

/** One caller alone: nobody to share a commit with. */
export function movesOfOne(stage: Stage): Promise<Report> {
  const work = { callers: 1, tasks: 100, moves: stage.quick ? 300 : 1_500 };
  return race(stage, {
    title: "Guarded moves one by one, one caller",
    unit: "moves/s",
    bout: "moveOneByOne",
    rounds: [7, 3],
    runners: { Pawl: { work, modes: [{ pool: 10 }] }, "by hand": { work, modes: [{ pool: 1 }] } },
    aims: [{ ratio: 0.4, of: ["by hand"], asTime: true }],
  });
}
