import type { Bout, Terms } from "./contender.ts";
import { count, median, modeInWords, times } from "./report.ts";
import type { Aim, Report } from "./report.ts";

export type Entry = {
  name: string;
  /** Settings to choose the best of. */
  modes: readonly Terms[];
  bout: (mode: Terms) => Bout | Promise<Bout>;
};

export type Comparison = {
  title: string;
  unit: string;
  /** Of a full run, and of a quick one. */
  rounds: [full: number, quick: number];
  /** Whom the ratios are about, if they are about one. */
  hero?: string;
  entries: readonly Entry[];
  aims: readonly RatioAim[];
  notes?: readonly string[];
};

/** A quick run takes the first mode of each as its best, and begins no further round when it has taken so long. */
export type Pace = { quick: boolean; tell: (message: string) => void };
const QUICK_SECONDS = 5;

/**
 * An aim for the rate of the hero, or of the entry named here, relative to the best of some others: `atLeast` is a multiple
 * of their rate, `atMostTime` a multiple of the time they take for the same work.
 */
export type RatioAim = {
  hero?: string;
  of: readonly string[];
  /** The least that is acceptable while the aim is missed, in the same terms as the aim. */
  floor?: number;
  /** A least rate beside the ratio. */
  rate?: number;
} & ({ atLeast: number } | { atMostTime: number });

type Result = { name: string; mode: Terms; rates: number[] };

/** Runs all contenders in turn, round after round, so that a noisy moment hits each of them; ratios are of medians. */
export async function compare({ quick, tell }: Pace, comparison: Comparison): Promise<Report> {
  const { title, unit, entries, hero, aims, notes = [] } = comparison;
  const rounds = comparison.rounds[quick ? 1 : 0];
  const started = Date.now();
  const results: Result[] = [];
  for (const { name, modes, bout } of entries) {
    const chosen = quick || modes.length < 2 ? (modes[0] ?? {}) : await bestOf(modes, name, bout, tell);
    results.push({ name, mode: chosen, rates: [] });
  }
  for (let round = 0; round <= rounds; round++) {
    if (quick && round > 1 && Date.now() - started > QUICK_SECONDS * 1000) break;
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
    notes: [...notes],
  };
}

/** Tries every mode twice and returns the fastest. */
export async function bestOf(
  modes: readonly Terms[],
  name: string,
  bout: Entry["bout"],
  tell: Pace["tell"],
): Promise<Terms> {
  let best = { mode: modes[0] ?? {}, rate: 0 };
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

function judge(aim: RatioAim & { hero: string }, results: readonly Result[], unit: string): Aim {
  const { hero, of, floor, rate = 0 } = aim;
  const rateOf = (name: string) => median(results.find((result) => result.name === name)?.rates ?? []);
  const best = of.filter((name) => rateOf(name) > 0).sort((a, b) => rateOf(b) - rateOf(a))[0];
  const others = of.length > 1 ? `the best of ${of.join(", ")}` : (of[0] ?? "");
  const text =
    ("atLeast" in aim
      ? `${hero} ≥ ${aim.atLeast} × ${others}${rate > 0 ? `, and ≥ ${count(rate)} ${unit}` : ""}`
      : `${hero} ≤ ${aim.atMostTime} × the time of ${others}`) +
    (floor === undefined ? "" : ` (floor ${floor} ×)`);
  if (best === undefined || rateOf(hero) === 0) return { text, figure: "not measured", met: null };
  const ratio = rateOf(hero) / rateOf(best);
  const reached = "atLeast" in aim ? ratio : 1 / ratio;
  const meets = (bound: number) => ("atLeast" in aim ? reached >= bound : reached <= bound);
  return {
    text,
    figure: `${times(reached)}${of.length > 1 ? ` ${best}` : ""}`,
    met: meets("atLeast" in aim ? aim.atLeast : aim.atMostTime) && rateOf(hero) >= rate,
    ...(floor === undefined ? {} : { aboveFloor: meets(floor) }),
  };
}
