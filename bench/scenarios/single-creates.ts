import { race } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

/** Each of 64 callers creates one task after the other. */
export function singleCreates(stage: Stage): Promise<Report> {
  const many = { callers: 64, tasks: stage.quick ? 10_000 : 40_000 };
  const few = { callers: 64, tasks: stage.quick ? 1_000 : 3_000 };
  const pools = [{ pool: 10 }, { pool: 20 }, { pool: 64 }];
  return race(stage, {
    title: "Create one by one, 64 callers",
    unit: "tasks/s",
    bout: "createOneByOne",
    rounds: [7, 3],
    runners: {
      Pawl: { work: many, modes: [{ pool: 10 }] },
      "pg-boss": { work: few, modes: pools },
      "graphile-worker": { work: few, modes: pools },
      BullMQ: { work: many, modes: [{ pipelining: 1 }, { pipelining: 0 }] },
    },
    aims: [
      { ratio: 10, of: ["pg-boss"] },
      { ratio: 10, of: ["graphile-worker"] },
      { ratio: 1, of: ["BullMQ"] },
    ],
  });
}
