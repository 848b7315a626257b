const UNITS = [
  ["s", 60],
  ["min", 60],
  ["h", 24],
  ["d", Infinity],
] as const;

/** A duration in its largest fitting unit: `12 s`, `3 min`, `5 h`, `9 d`. */
export function formatDuration(ms: number): string {
  let amount = Math.abs(ms) / 1_000;
  for (const [unit, perNextUnit] of UNITS) {
    // Round first: 59.6 minutes are 1 hour, not 60 minutes.
    if (Math.round(amount) < perNextUnit) return `${Math.round(amount)} ${unit}`;
    amount /= perNextUnit;
  }
  return "";
}

/** A time relative to now: `3 min ago`, `in 2 h`; empty for null. */
export function relativeTime(now: number, moment: string | null): string {
  if (moment === null) return "";
  const ms = Date.parse(moment) - now;
  if (Math.abs(ms) < 1_000) return "now";
  return ms > 0 ? `in ${formatDuration(ms)}` : `${formatDuration(ms)} ago`;
}
