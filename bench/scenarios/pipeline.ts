import { bestOf } from "../compare.ts";
import type { Bout, Terms } from "../contender.ts";
import { count, median, modeInWords } from "../report.ts";
import type { Report } from "../report.ts";
import type { ContenderName, Stage } from "../stage.ts";

const RATE = 200;
const CALLERS = 64;
const WORKERS = 64;

type Runner = {
  name: string;
  run: (terms: Terms) => Promise<Bout>;
  /** Settings at a fixed rate. */
  calm: Terms;
  /** Settings at saturation, to choose the best of. */
  busy: readonly Terms[];
};
type Results = { runner: Runner; mode: Terms; calm: Bout[]; busy: Bout[] };

/** From create to finish, with workers that wait for tasks: at a fixed arrival rate, and as fast as it goes. */
export async function pipeline(stage: Stage): Promise<Report> {
  const [seconds, rounds] = stage.quick ? [0.7, 2] : [3, 5];
  const { runners, absent } = await gather(stage);
  const results: Results[] = [];
  for (const runner of runners) {
    const saturate = (mode: Terms) => runner.run({ callers: CALLERS, seconds, ...mode });
    const [first = {}] = runner.busy;
    const choose = !stage.quick && runner.busy.length > 1;
    const mode = choose ? await bestOf(runner.busy, runner.name, saturate, stage.tell) : first;
    results.push({ runner, mode, calm: [], busy: [] });
  }
  for (let round = 0; round <= rounds; round++) {
    stage.tell(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
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
        count(median(busy.map((bout) => bout.done / bout.seconds))),
        latency(busy, "p50"),
        latency(busy, "p99"),
        modeInWords(mode),
      ]),
    ],
    aims: [],
    notes: [
      `${WORKERS} workers with an empty handler. At saturation ${CALLERS} callers create a task each, and the next one when it is finished. Medians of alternating rounds.`,
      "Pawl over HTTP: its client creates, startWorker waits for tasks by long polling. Pawl in process: one loop claims for all free workers and polls every 10 ms. pg-boss and graphile-worker are woken by NOTIFY; their clock stops when the handler has run, before the completion is committed.",
      ...absent,
    ],
  };
}

async function gather(stage: Stage): Promise<{ runners: Runner[]; absent: string[] }> {
  const absent: string[] = [];
  const runners = await ofPawl(stage);
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
    const entered = await stage.enter(name as ContenderName);
    if ("missing" in entered) absent.push(`${name} is left out: ${entered.missing}.`);
    else runners.push({ name, ...modes, run: (terms) => entered.contestant.do("pipeline", terms) });
  }
  return { runners, absent };
}

async function ofPawl(stage: Stage): Promise<Runner[]> {
  const { contestant: pawl } = await stage.enterPawl();
  const { figures } = await pawl.do("openShop", {});
  const port = figures?.pawl ?? 0;
  const remote = stage.enterHttpWorkers();
  const modes = { calm: { workers: WORKERS }, busy: [{ workers: WORKERS }] };
  return [
    { name: "Pawl over HTTP", ...modes, run: (terms) => remote.do("pipeline", { port, ...terms }) },
    { name: "Pawl in process", ...modes, run: (terms) => pawl.do("pipeline", terms) },
  ];
}

function latency(bouts: readonly Bout[], part: "p50" | "p99"): string {
  return `${median(bouts.map((bout) => bout.figures?.[part] ?? 0)).toFixed(1)} ms`;
}
