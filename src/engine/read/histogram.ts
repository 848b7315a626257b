/** Number of bins per doubling: a bin is 19 % wider than the one before, so a percentile is off by at most 9 %. */
const BINS_PER_OCTAVE = 4;
const MAX_MS = 10 * 366 * 86_400_000;

/** Upper bounds of the bins in milliseconds; bin `n` holds durations from bound `n - 1` to just below bound `n`. */
export const BIN_BOUNDS_MS: readonly number[] = makeBounds();

function makeBounds(): number[] {
  const bounds = [1];
  for (let step = 1; (bounds.at(-1) ?? 0) < MAX_MS; step++) {
    const bound = Math.round(2 ** (step / BINS_PER_OCTAVE));
    if (bound > (bounds.at(-1) ?? 0)) bounds.push(bound);
  }
  return bounds;
}

/** The counts of a histogram by bin. */
export type Histogram = ReadonlyMap<number, number>;

/**
 * Estimates the durations in milliseconds below which the given shares of a histogram lie; null if it is empty. Within a bin,
 * durations are assumed to be spread evenly.
 */
export function percentiles(histogram: Histogram, shares: readonly number[]): (number | null)[] {
  const bins = [...histogram].filter(([, count]) => count > 0).sort(([one], [other]) => one - other);
  const total = bins.reduce((sum, [, count]) => sum + count, 0);
  return shares.map((share) => {
    let passed = 0;
    for (const [bin, count] of bins) {
      const wanted = share * total - passed;
      if (wanted <= count) return within(bin, wanted / count);
      passed += count;
    }
    return null;
  });
}

function within(bin: number, part: number): number {
  const low = BIN_BOUNDS_MS[bin - 1] ?? 0;
  const high = BIN_BOUNDS_MS[bin] ?? low;
  return low + (high - low) * part;
}
