import { compare } from "./compare.ts";
import type { Comparison, Entry } from "./compare.ts";
import type { Bout, Terms } from "./contender.ts";
import type { Report } from "./report.ts";
import type { ContenderName, Stage } from "./stage.ts";

type Runner = {
  /** The contender; by default the one that has the runner's name. */
  contender?: ContenderName;
  terms?: Terms;
  modes: readonly Terms[];
};

export type Race = Omit<Comparison, "hero" | "entries"> & {
  bout: string;
  runners: Readonly<Record<string, Runner>>;
  /** The term that holds the amount of work; it is set so that every bout takes about as long. */
  pieces?: "tasks" | "moves";
  /** Work is prepared, and the tables analysed, before the clock runs. */
  filled?: boolean;
};

/** Of a full run and of a quick one: the time of a bout, and the amount of work in the first bout, which warms up. */
const BOUT_SECONDS = [1.2, 0.3] as const;
const FIRST_PIECES = [2_000, 200] as const;
const MIN_PIECES = 100;
const MAX_PIECES = 60_000;

/** The same work for every contender that can take part, each in a process and a database of its own. */
export async function race(
  stage: Stage,
  { bout, runners, pieces = "tasks", filled = false, notes = [], ...about }: Race,
): Promise<Report> {
  const entries: Entry[] = [];
  const absent: string[] = [];
  for (const [name, { contender = name as ContenderName, terms = {}, modes }] of Object.entries(runners)) {
    const entered = await stage.enter(contender);
    if ("missing" in entered) {
      absent.push(`${name} is left out: ${entered.missing}.`);
      continue;
    }
    const { contestant, url } = entered;
    const sql = filled && contender !== "BullMQ" ? stage.connect(url) : null;
    entries.push({
      name,
      modes,
      bout: sized(stage, async (amount, mode) => {
        if (filled) await contestant.do("fill", { tasks: amount });
        if (sql) await sql.unsafe("analyze");
        const result = await contestant.do(bout, { ...terms, ...mode, [pieces]: amount });
        if (filled && result.done !== amount) throw new Error(`${name} did ${result.done} of ${amount}`);
        return result;
      }),
    });
  }
  return compare(stage, { ...about, notes: [...notes, ...absent], hero: "Pawl", entries });
}

/** A bout with as much work as the pace of the one before asks for, so that all bouts take about as long. */
export function sized(
  { quick }: { quick: boolean },
  run: (amount: number, mode: Terms) => Promise<Bout>,
): (mode: Terms) => Promise<Bout> {
  let wanted: number = FIRST_PIECES[quick ? 1 : 0];
  return async (mode) => {
    const result = await run(amountFor(wanted, mode), mode);
    wanted = (result.done / result.seconds) * BOUT_SECONDS[quick ? 1 : 0];
    return result;
  };
}

/** Whole batches, and at least one for every caller. */
function amountFor(wanted: number, { batch = 1, callers = 1 }: Terms): number {
  const multiple = batch > 1 ? batch * callers : MIN_PIECES;
  const most = Math.max(multiple, Math.floor(MAX_PIECES / multiple) * multiple);
  return Math.min(most, Math.ceil(wanted / multiple) * multiple);
}
