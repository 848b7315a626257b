import type { Bout } from "../contender.ts";
import { count, median, times } from "../report.ts";
import type { Aim, Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const WORKS = {
  unblockMany: "one blocker of so many is finished",
  createChain: "a chain so deep is created",
  walkChain: "it is finished, one after the other",
  dropChain: "its first fails, and all others with it",
};
/** Ten times as many may take ten times as long, and a little for the noise of the machine. */
const MOST_TIMES_DEARER = 1.5;

type Cost = { micros: number; bytes: number };

/** Many who wait for one, and each for the one before: is the cost of each the same whatever their number? */
export async function dependents(stage: Stage): Promise<Report> {
  const [few, many] = stage.quick ? [100, 500] : [1_000, 10_000];
  const rounds = stage.quick ? 1 : 3;
  const table = [
    ["", `${count(few)} tasks`, `${count(many)} tasks`, "dearer", "heap each", "heap each", "more"],
  ];
  const aims: Aim[] = [];
  const { contestant } = await stage.enterPawl({ flags: ["--expose-gc"] });
  for (const [bout, words] of Object.entries(WORKS)) {
    stage.tell(words);
    const costs = { few: [] as Bout[], many: [] as Bout[] };
    await contestant.do(bout, { tasks: few });
    for (let round = 0; round < rounds; round++) {
      costs.few.push(await contestant.do(bout, { tasks: few }));
      costs.many.push(await contestant.do(bout, { tasks: many }));
    }
    const [cheap, dear] = [costOf(costs.few), costOf(costs.many)];
    const slower = dear.micros / cheap.micros;
    const more = dear.bytes / cheap.bytes;
    table.push([words, micros(cheap), micros(dear), times(slower), kb(cheap), kb(dear), times(more)]);
    aims.push({
      text: `${words}: linear in time and memory (each at most ${MOST_TIMES_DEARER} × as dear)`,
      figure: `${times(slower)} the time, ${times(more)} the heap`,
      met: slower <= MOST_TIMES_DEARER && more <= MOST_TIMES_DEARER,
    });
  }
  return {
    title: "Dependents",
    table,
    aims,
    notes: ["Time and heap for each task; the heap is the most that was seen."],
  };
}

function costOf(bouts: readonly Bout[]): Cost {
  return {
    micros: median(bouts.map(({ done, seconds }) => (seconds * 1e6) / done)),
    bytes: median(bouts.map(({ done, figures }) => Math.max(1, (figures?.heap ?? 0) / done))),
  };
}

function micros({ micros }: Cost): string {
  return `${micros.toFixed(0)} µs`;
}

function kb({ bytes }: Cost): string {
  return `${(bytes / 1e3).toFixed(1)} kB`;
}
