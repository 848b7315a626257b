import { bestOf } from "../compare.ts";
import type { Measurement, Params } from "../contender.ts";
import { count, median, formatMode } from "../report.ts";
import type { Report } from "../report.ts";
import type { ContenderName, Environment } from "../environment.ts";

const RATE = 200;
const CALLERS = 64;
const WORKERS = 64;

type Runner = {
  name: string;
  run: (params: Params) => Promise<Measurement>;
  /** Settings at a fixed rate. */
  calm: Params;
  /** Settings to try at saturation; the fastest is used. */
  busy: readonly Params[];
};
type Results = { runner: Runner; mode: Params; calm: Measurement[]; busy: Measurement[] };

/** Latency from create to finish with workers that wait for tasks: at a fixed rate, and at saturation. */
export async function pipeline(env: Environment): Promise<Report> {
  const [seconds, rounds] = env.quick ? [0.7, 2] : [3, 5];
  const { runners, skipped } = await startRunners(env);
  const results: Results[] = [];
  for (const runner of runners) {
    const saturate = (mode: Params) => runner.run({ callers: CALLERS, seconds, ...mode });
    const [first = {}] = runner.busy;
    const choose = !env.quick && runner.busy.length > 1;
    const mode = choose ? await bestOf(runner.busy, runner.name, saturate, env.log) : first;
    results.push({ runner, mode, calm: [], busy: [] });
  }
  for (let round = 0; round <= rounds; round++) {
    env.log(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    for (const { runner, mode, calm, busy } of round % 2 === 0 ? results : results.toReversed()) {
      const atRate = await runner.run({ rate: RATE, seconds, ...runner.calm });
      const saturated = await runner.run({ callers: CALLERS, seconds, ...mode });
      if (round === 0) continue;
      calm.push(atRate);
      busy.push(saturated);
    }
  }
  return {
    title: "From create to finish",
    table: [
      ["", `p50 at ${RATE}/s`, "p99", "tasks/s at saturation", "p50", "p99", "mode at saturation"],
      ...results.map(({ runner, mode, calm, busy }) => [
        runner.name,
        latency(calm, "p50"),
        latency(calm, "p99"),
        count(median(busy.map((measurement) => measurement.done / measurement.seconds))),
        latency(busy, "p50"),
        latency(busy, "p99"),
        formatMode(mode),
      ]),
    ],
    aims: [],
    notes: [
      `${WORKERS} workers with an empty handler. At saturation each of ${CALLERS} callers creates a task, waits until it is finished, and creates the next. Medians of alternating rounds.`,
      "Pawl over HTTP: its client creates, startWorker waits for tasks by long polling. Pawl in process: one loop claims for all free workers and polls every 10 ms. pg-boss and graphile-worker are woken by NOTIFY; their clock stops after the handler, before the completion is committed.",
      ...skipped,
    ],
  };
}

async function startRunners(env: Environment): Promise<{ runners: Runner[]; skipped: string[] }> {
  const skipped: string[] = [];
  const runners = await pawlRunners(env);
  const peers: Partial<Record<ContenderName, Pick<Runner, "calm" | "busy">>> = {
    "pg-boss": {
      calm: { workers: 4, batch: 16, pool: 10 },
      busy: [
        { workers: 4, batch: 64, pool: 10 },
        { workers: 8, batch: 16, pool: 20 },
        { workers: 64, batch: 1, pool: 20 },
      ],
    },
    "graphile-worker": {
      calm: { workers: WORKERS, pool: 20 },
      busy: [
        { workers: WORKERS, pool: 20 },
        { workers: WORKERS, pool: 20, queue: 500, delay: 0 },
      ],
    },
    BullMQ: {
      calm: { workers: WORKERS },
      busy: [
        { workers: WORKERS, pipelining: 1 },
        { workers: WORKERS, pipelining: 0 },
      ],
    },
  };
  for (const [name, modes] of Object.entries(peers)) {
    const started = await env.start(name as ContenderName);
    if ("missing" in started) skipped.push(`${name} was skipped: ${started.missing}.`);
    else runners.push({ name, ...modes, run: (params) => started.child.run("pipeline", params) });
  }
  return { runners, skipped };
}

async function pawlRunners(env: Environment): Promise<Runner[]> {
  const { child: pawl } = await env.startPawl();
  const { figures } = await pawl.run("startHttpServer", {});
  const port = figures?.pawl ?? 0;
  const remote = env.startHttpWorkers();
  const modes = { calm: { workers: WORKERS }, busy: [{ workers: WORKERS }] };
  return [
    { name: "Pawl over HTTP", ...modes, run: (params) => remote.run("pipeline", { port, ...params }) },
    { name: "Pawl in process", ...modes, run: (params) => pawl.run("pipeline", params) },
  ];
}

function latency(measurements: readonly Measurement[], part: "p50" | "p99"): string {
  return `${median(measurements.map((measurement) => measurement.figures?.[part] ?? 0)).toFixed(1)} ms`;
}
