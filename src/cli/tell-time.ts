const UNITS = [
  ["s", 60],
  ["min", 60],
  ["h", 24],
  ["d", Infinity],
] as const;

/** A stretch of time in one unit that can be grasped: `12 s`, `3 min`, `5 h`, `9 d`. */
export function stretch(ms: number): string {
  let amount = Math.abs(ms) / 1_000;
  for (const [unit, most] of UNITS) {
    // 59.6 minutes are an hour, and not 60 minutes.
    if (Math.round(amount) < most) return `${Math.round(amount)} ${unit}`;
    amount /= most;
  }
  return "";
}

/** A moment as seen from now: `3 min ago`, `in 2 h`; a moment that is not there is nothing. */
export function seenFrom(now: number, moment: string | null): string {
  if (moment === null) return "";
  const ms = Date.parse(moment) - now;
  if (Math.abs(ms) < 1_000) return "now";
  return ms > 0 ? `in ${stretch(ms)}` : `${stretch(ms)} ago`;
}
