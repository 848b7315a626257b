import type { Measurement } from "../contender.ts";
import { count, median, times } from "../report.ts";
import type { Aim, Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const WORKLOADS = {
  unblockMany: "finish the one blocker of all tasks",
  createChain: "create a chain of tasks",
  walkChain: "finish the chain, one task after the other",
  dropChain: "fail the first task of a chain, and all others with it",
};
/** Maximum cost per task with many tasks, relative to few; above 1 because of noise. */
const MAX_COST_RATIO = 1.5;

type Cost = { micros: number; bytes: number };

/** Tasks that depend on one task, and chains: does the cost per task stay the same as their number grows? */
export async function dependents(env: Environment): Promise<Report> {
  const [few, many] = env.quick ? [100, 500] : [1_000, 10_000];
  const rounds = env.quick ? 1 : 3;
  const table = [
    ["", `${count(few)} tasks`, `${count(many)} tasks`, "time ratio", "heap each", "heap each", "heap ratio"],
  ];
  const aims: Aim[] = [];
  const { child } = await env.startPawl({ flags: ["--expose-gc"] });
  for (const [workload, title] of Object.entries(WORKLOADS)) {
    env.log(title);
    const costs = { few: [] as Measurement[], many: [] as Measurement[] };
    await child.run(workload, { tasks: few });
    for (let round = 0; round < rounds; round++) {
      costs.few.push(await child.run(workload, { tasks: few }));
      costs.many.push(await child.run(workload, { tasks: many }));
    }
    const [small, large] = [costOf(costs.few), costOf(costs.many)];
    const slower = large.micros / small.micros;
    const more = large.bytes / small.bytes;
    table.push([title, micros(small), micros(large), times(slower), kb(small), kb(large), times(more)]);
    aims.push({
      text: `${title}: linear in time and memory (at most ${MAX_COST_RATIO} × per task)`,
      figure: `${times(slower)} the time, ${times(more)} the heap`,
      met: slower <= MAX_COST_RATIO && more <= MAX_COST_RATIO,
    });
  }
  return {
    title: "Dependents",
    table,
    aims,
    notes: ["Time and peak heap per task."],
  };
}

function costOf(measurements: readonly Measurement[]): Cost {
  return {
    micros: median(measurements.map(({ done, seconds }) => (seconds * 1e6) / done)),
    bytes: median(measurements.map(({ done, figures }) => Math.max(1, (figures?.heap ?? 0) / done))),
  };
}

function micros({ micros }: Cost): string {
  return `${micros.toFixed(0)} µs`;
}

function kb({ bytes }: Cost): string {
  return `${(bytes / 1e3).toFixed(1)} kB`;
}
