import { compare } from "./compare.ts";
import type { Comparison, Entry } from "./compare.ts";
import type { Measurement, Params } from "./contender.ts";
import type { Report } from "./report.ts";
import type { ContenderName, Environment } from "./environment.ts";

type Runner = {
  /** Defaults to the contender with the runner's name. */
  contender?: ContenderName;
  params?: Params;
  modes: readonly Params[];
};

export type ContenderComparison = Omit<Comparison, "subject" | "entries"> & {
  workload: string;
  runners: Readonly<Record<string, Runner>>;
  /** The parameter that holds the amount of work; it is chosen so that all measurements take about as long. */
  pieces?: "tasks" | "moves";
  /** Creates the tasks, and analyses the tables, before the clock starts. */
  filled?: boolean;
};

/** For a full and for a quick run: the time of a measurement, and the amount of work in the first one, which is a warm-up. */
const MEASURED_SECONDS = [1.2, 0.3] as const;
const FIRST_PIECES = [2_000, 200] as const;
const MIN_PIECES = 100;
const MAX_PIECES = 60_000;

/** Measures the same workload on every available contender, each in its own process with its own database. */
export async function compareContenders(
  env: Environment,
  { workload, runners, pieces = "tasks", filled = false, notes = [], ...rest }: ContenderComparison,
): Promise<Report> {
  const entries: Entry[] = [];
  const skipped: string[] = [];
  for (const [name, { contender = name as ContenderName, params = {}, modes }] of Object.entries(runners)) {
    const started = await env.start(contender);
    if ("missing" in started) {
      skipped.push(`${name} was skipped: ${started.missing}.`);
      continue;
    }
    const { child, url } = started;
    const sql = filled && contender !== "BullMQ" ? env.connect(url) : null;
    entries.push({
      name,
      modes,
      measure: sized(env, async (amount, mode) => {
        if (filled) await child.run("fill", { tasks: amount });
        if (sql) await sql.unsafe("analyze");
        const result = await child.run(workload, { ...params, ...mode, [pieces]: amount });
        if (filled && result.done !== amount) throw new Error(`${name} did ${result.done} of ${amount}`);
        return result;
      }),
    });
  }
  return compare(env, { ...rest, notes: [...notes, ...skipped], subject: "Pawl", entries });
}

/** Sizes each measurement by the rate of the one before, so that all take about as long. */
export function sized(
  { quick }: { quick: boolean },
  run: (amount: number, mode: Params) => Promise<Measurement>,
): (mode: Params) => Promise<Measurement> {
  let target: number = FIRST_PIECES[quick ? 1 : 0];
  return async (mode) => {
    const result = await run(amountFor(target, mode), mode);
    target = (result.done / result.seconds) * MEASURED_SECONDS[quick ? 1 : 0];
    return result;
  };
}

/** Rounds up to whole batches, at least one per caller. */
function amountFor(target: number, { batch = 1, callers = 1 }: Params): number {
  const multiple = batch > 1 ? batch * callers : MIN_PIECES;
  const max = Math.max(multiple, Math.floor(MAX_PIECES / multiple) * multiple);
  return Math.min(max, Math.ceil(target / multiple) * multiple);
}
