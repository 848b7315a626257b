/**
 * Returns the delay before attempt `attempt` + 1: doubles each time up to `capMs`, minus a jitter of up to half.
 * The jitter is derived from the seed (a task's id), so that a decision stays a pure function of its situation.
 */
export function backoffMs(
  attempt: number,
  seed: string,
  { baseMs, capMs }: { baseMs: number; capMs: number },
): number {
  const full = Math.min(capMs, baseMs * 2 ** attempt);
  return Math.round(full * (0.5 + 0.5 * fraction(`${seed}:${attempt}`)));
}

/** Hashes a string to a number in [0, 1): FNV-1a, then mixed so that the last characters change the high bits. */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
