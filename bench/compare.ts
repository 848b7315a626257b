import type { Bout, Task } from "./contender.ts";
import { count, median, modeInWords, times } from "./report.ts";
import type { Aim, Report } from "./report.ts";

export type Entry = {
  name: string;
  /** Settings to choose the best of. */
  modes: readonly Task[];
  bout: (mode: Task) => Bout | Promise<Bout>;
};

export type Comparison = {
  title: string;
  unit: string;
  rounds: number;
  /** No further round begins when this has passed: a short run stays short on a busy machine. */
  mostSeconds?: number;
  /** Whether all modes are tried, or the first is taken as the best. */
  tryModes: boolean;
  /** Whom the ratios are about, if they are about one. */
  hero?: string;
  entries: readonly Entry[];
  aims: readonly RatioAim[];
  notes?: readonly string[];
  tell: (message: string) => void;
};

/** The rate of the hero, or of whom is named instead, is to be at least so many times that of the best of some others. */
export type RatioAim = { hero?: string; ratio: number; of: readonly string[]; rate?: number };

type Result = { name: string; mode: Task; rates: number[] };

/** Runs all contenders in turn, round after round, so that a noisy moment hits each of them; ratios are of medians. */
export async function compare(comparison: Comparison): Promise<Report> {
  const { title, unit, rounds, entries, hero, aims, tell, mostSeconds = Infinity } = comparison;
  const started = Date.now();
  const results: Result[] = [];
  for (const entry of entries)
    results.push({ name: entry.name, mode: await bestMode(entry, comparison), rates: [] });
  for (let round = 0; round <= rounds; round++) {
    if (round > 1 && Date.now() - started > mostSeconds * 1000) break;
    tell(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    const order = round % 2 === 0 ? [...entries.keys()] : [...entries.keys()].reverse();
    for (const place of order) {
      const { mode, rates } = results[place] as Result;
      const { done, seconds } = await (entries[place] as Entry).bout(mode);
      if (round > 0) rates.push(done / seconds);
    }
  }
  return {
    title,
    table: tableOf(results, hero, unit),
    aims: aims.map((aim) => judge({ hero: hero ?? "", ...aim }, results, unit)),
    notes: [...(comparison.notes ?? [])],
  };
}

async function bestMode({ name, modes, bout }: Entry, { tryModes, tell }: Comparison): Promise<Task> {
  const [first = {}] = modes;
  if (!tryModes || modes.length < 2) return first;
  let best = { mode: first, rate: 0 };
  // Twice: the first bout of a process is its slowest.
  for (const mode of [...modes, ...modes]) {
    const { done, seconds } = await bout(mode);
    tell(`${name}: ${modeInWords(mode)}: ${count(done / seconds)}/s`);
    if (done / seconds > best.rate) best = { mode, rate: done / seconds };
  }
  return best.mode;
}

function tableOf(results: readonly Result[], hero: string | undefined, unit: string): string[][] {
  const heroes = median(results.find(({ name }) => name === hero)?.rates ?? []);
  const ratio = ({ name, rates }: Result) => (name === hero ? "" : times(heroes / median(rates)));
  return [
    ["", unit, "lowest", "highest", ...(hero === undefined ? [] : [`${hero} is`]), "mode"],
    ...results.map((result) => [
      result.name,
      count(median(result.rates)),
      count(Math.min(...result.rates)),
      count(Math.max(...result.rates)),
      ...(hero === undefined ? [] : [ratio(result)]),
      modeInWords(result.mode),
    ]),
  ];
}

function judge(
  { hero, ratio, of, rate = 0 }: RatioAim & { hero: string },
  results: readonly Result[],
  unit: string,
): Aim {
  const rateOf = (name: string) => median(results.find((result) => result.name === name)?.rates ?? []);
  const present = of.filter((name) => rateOf(name) > 0);
  const best = present.sort((a, b) => rateOf(b) - rateOf(a))[0];
  const floor = rate > 0 ? `, and ${count(rate)} ${unit}` : "";
  const among = of.length > 1 ? `the best of ${of.join(", ")}` : (of[0] ?? "");
  const text = `${hero}: at least ${ratio} × ${among}${floor}`;
  if (best === undefined) return { text, figure: "not measured", met: null };
  const reached = rateOf(hero) / rateOf(best);
  const figure = of.length > 1 ? `${times(reached)} ${best}` : times(reached);
  return { text, figure, met: reached >= ratio && rateOf(hero) >= rate };
}
