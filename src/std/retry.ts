import { timerDelay } from "./timer-delay.ts";

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

/** The delay before the next attempt: doubles with each failure, at least as long as `retryAfter` (seconds). */
export function retryDelayMs(
  failures: number,
  {
    retryAfter = null,
    firstMs = FIRST_DELAY_MS,
    random = Math.random,
  }: { retryAfter?: number | null; firstMs?: number; random?: () => number } = {},
): number {
  const maxDelay = Math.min(MAX_DELAY_MS, firstMs * 2 ** Math.min(failures, 20));
  // Jitter: half of the delay is random, so that clients that failed together do not retry together.
  const delay = maxDelay * (0.5 + random() / 2);
  return retryAfter === null ? delay : Math.max(delay, retryAfter * 1_000 + random() * firstMs);
}

/**
 * Repeats an attempt until it succeeds. `delayAfter` returns the milliseconds to wait after an error, or null to throw it; it may
 * also throw an error of its own.
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  {
    signal,
    delayAfter,
  }: { signal?: AbortSignal | undefined; delayAfter: (error: unknown, failures: number) => number | null },
): Promise<T> {
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const delay = delayAfter(error, failures);
      if (delay === null) throw error;
      await sleep(delay, signal);
    }
  }
}

/** Waits `ms` milliseconds; rejects with the signal's reason if it aborts first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      // Callers may abort with any value as the reason.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, timerDelay(ms));
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
