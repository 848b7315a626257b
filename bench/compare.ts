/** Does one bout of work and says how much it did. */
type Contender = () => number;

type Comparison = {
  title: string;
  unit: string;
  rounds: number;
  baseline: string;
  contenders: Record<string, Contender>;
  aims: { of: string; ratioAtLeast: number; rateAtLeast?: number }[];
};

type Row = { name: string; median: number; low: number; high: number; ratio: number };
export type Report = { title: string; unit: string; rows: Row[]; aims: { text: string; met: boolean }[] };

/** Runs all contenders in turn, round after round, so that a noisy moment hits each of them; ratios are of medians. */
export function compare({ title, unit, rounds, baseline, contenders, aims }: Comparison): Report {
  const names = Object.keys(contenders);
  const rates = new Map(names.map((name): [string, number[]] => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const started = process.hrtime.bigint();
      const done = contenders[name]?.() ?? 0;
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      // The first round only warms up.
      if (round >= 0) rates.get(name)?.push(done / seconds);
    }
  }
  const medianOf = (name: string) => median(rates.get(name) ?? []);
  const rows = names.map((name) => {
    const all = rates.get(name) ?? [];
    return {
      name,
      median: medianOf(name),
      low: Math.min(...all),
      high: Math.max(...all),
      ratio: medianOf(name) / medianOf(baseline),
    };
  });
  return {
    title,
    unit,
    rows,
    aims: aims.map(({ of, ratioAtLeast, rateAtLeast = 0 }) => {
      const row = rows.find(({ name }) => name === of);
      const met = row !== undefined && row.ratio >= ratioAtLeast && row.median >= rateAtLeast;
      const rate = rateAtLeast > 0 ? ` and ${rateAtLeast.toLocaleString("en")} ${unit}` : "";
      return { text: `${of}: at least ${ratioAtLeast} × ${baseline}${rate}`, met };
    }),
  };
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
