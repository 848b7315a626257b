/** Maximum delay of a timer in Node and in browsers; a timer with a longer one fires immediately. */
export const MAX_TIMER_DELAY_MS = 2_147_483_647;

/** Turns a computed duration into a delay that every timer accepts: whole milliseconds, rounded up, at most the maximum. */
export function timerDelay(ms: number): number {
  if (Number.isNaN(ms)) throw new RangeError("A timer's delay must be a number, not NaN");
  return Math.min(MAX_TIMER_DELAY_MS, Math.max(0, Math.ceil(ms)));
}
