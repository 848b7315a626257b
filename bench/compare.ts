import type { Measurement, Params } from "./contender.ts";
import { count, median, formatMode, times } from "./report.ts";
import type { Aim, Report } from "./report.ts";

export type Entry = {
  name: string;
  /** Settings to try; the fastest is used. */
  modes: readonly Params[];
  measure: (mode: Params) => Measurement | Promise<Measurement>;
};

export type Comparison = {
  title: string;
  unit: string;
  /** Number of rounds. */
  rounds: [full: number, quick: number];
  /** The entry that the ratios describe; without it the table has no ratios. */
  subject?: string;
  entries: readonly Entry[];
  aims: readonly RatioAim[];
  notes?: readonly string[];
};

/** A quick run uses the first mode of each entry, and starts no further round after QUICK_SECONDS. */
export type RunOptions = { quick: boolean; log: (message: string) => void };
const QUICK_SECONDS = 5;

/**
 * An aim for the rate of the subject (or of the entry named here) relative to the fastest of some others: `atLeast` is a
 * multiple of its rate, `atMostTime` a multiple of the time it takes for the same work.
 */
export type RatioAim = {
  subject?: string;
  of: readonly string[];
  /** The minimum that is acceptable while the aim is missed, as a ratio like the aim. */
  floor?: number;
  /** A minimum rate, in addition to the ratio. */
  rate?: number;
} & ({ atLeast: number } | { atMostTime: number });

type Result = { name: string; mode: Params; rates: number[] };

/** Measures all entries in turn, round after round, so that noise of the machine hits each of them; ratios compare medians. */
export async function compare({ quick, log }: RunOptions, comparison: Comparison): Promise<Report> {
  const { title, unit, entries, subject, aims, notes = [] } = comparison;
  const rounds = comparison.rounds[quick ? 1 : 0];
  const started = Date.now();
  const results: Result[] = [];
  for (const { name, modes, measure } of entries) {
    const chosen = quick || modes.length < 2 ? (modes[0] ?? {}) : await bestOf(modes, name, measure, log);
    results.push({ name, mode: chosen, rates: [] });
  }
  for (let round = 0; round <= rounds; round++) {
    if (quick && round > 1 && Date.now() - started > QUICK_SECONDS * 1000) break;
    log(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    const order = round % 2 === 0 ? [...entries.keys()] : [...entries.keys()].reverse();
    for (const index of order) {
      const { mode, rates } = results[index] as Result;
      const { done, seconds } = await (entries[index] as Entry).measure(mode);
      if (round > 0) rates.push(done / seconds);
    }
  }
  return {
    title,
    table: tableOf(results, subject, unit),
    aims: aims.map((aim) => judge({ subject: subject ?? "", ...aim }, results, unit)),
    notes: [...notes],
  };
}

/** Tries every mode twice and returns the fastest. */
export async function bestOf(
  modes: readonly Params[],
  name: string,
  measure: Entry["measure"],
  log: RunOptions["log"],
): Promise<Params> {
  let best = { mode: modes[0] ?? {}, rate: 0 };
  // Twice, because the first measurement of a process is its slowest.
  for (const mode of [...modes, ...modes]) {
    const { done, seconds } = await measure(mode);
    log(`${name}: ${formatMode(mode)}: ${count(done / seconds)}/s`);
    if (done / seconds > best.rate) best = { mode, rate: done / seconds };
  }
  return best.mode;
}

function tableOf(results: readonly Result[], subject: string | undefined, unit: string): string[][] {
  const subjectRate = median(results.find(({ name }) => name === subject)?.rates ?? []);
  const ratio = ({ name, rates }: Result) => (name === subject ? "" : times(subjectRate / median(rates)));
  return [
    ["", unit, "lowest", "highest", ...(subject === undefined ? [] : [`${subject} is`]), "mode"],
    ...results.map((result) => [
      result.name,
      count(median(result.rates)),
      count(Math.min(...result.rates)),
      count(Math.max(...result.rates)),
      ...(subject === undefined ? [] : [ratio(result)]),
      formatMode(result.mode),
    ]),
  ];
}

function judge(aim: RatioAim & { subject: string }, results: readonly Result[], unit: string): Aim {
  const { subject, of, floor, rate = 0 } = aim;
  const rateOf = (name: string) => median(results.find((result) => result.name === name)?.rates ?? []);
  const best = of.filter((name) => rateOf(name) > 0).sort((a, b) => rateOf(b) - rateOf(a))[0];
  const others = of.length > 1 ? `the best of ${of.join(", ")}` : (of[0] ?? "");
  const text =
    ("atLeast" in aim
      ? `${subject} ≥ ${aim.atLeast} × ${others}${rate > 0 ? `, and ≥ ${count(rate)} ${unit}` : ""}`
      : `${subject} ≤ ${aim.atMostTime} × the time of ${others}`) +
    (floor === undefined ? "" : ` (floor ${floor} ×)`);
  if (best === undefined || rateOf(subject) === 0) return { text, figure: "not measured", met: null };
  const ratio = rateOf(subject) / rateOf(best);
  const reached = "atLeast" in aim ? ratio : 1 / ratio;
  const meets = (bound: number) => ("atLeast" in aim ? reached >= bound : reached <= bound);
  return {
    text,
    figure: `${times(reached)}${of.length > 1 ? ` ${best}` : ""}`,
    met: meets("atLeast" in aim ? aim.atLeast : aim.atMostTime) && rateOf(subject) >= rate,
    ...(floor === undefined ? {} : { aboveFloor: meets(floor) }),
  };
}
