import { timerDelay } from "../std/timer-delay.ts";

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** How long to wait before the next try: longer each time, and never less than was asked for. */
export function pauseMs(
  failures: number,
  {
    retryAfter = null,
    firstMs = FIRST_PAUSE_MS,
    random = Math.random,
  }: { retryAfter?: number | null; firstMs?: number; random?: () => number } = {},
): number {
  const most = Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** Math.min(failures, 20));
  // Half of it is chance: those who failed together must not come back together.
  const pause = most * (0.5 + random() / 2);
  return retryAfter === null ? pause : Math.max(pause, retryAfter * 1_000 + random() * firstMs);
}

/** Waits, and stops waiting with the signal's reason. */
export function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      // The reason is whatever the caller chose to abort with.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", leave);
      resolve();
    }, timerDelay(ms));
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
}

/** A signal that follows others; `letGo` it, or those that live long would collect what followed them. */
export function follow(signals: readonly (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  abort: (reason?: unknown) => void;
  letGo: () => void;
} {
  const controller = new AbortController();
  const letGo: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    const leave = () => {
      controller.abort(signal.reason);
    };
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave);
    letGo.push(() => {
      signal.removeEventListener("abort", leave);
    });
  }
  return {
    signal: controller.signal,
    abort: (reason) => {
      controller.abort(reason);
    },
    letGo: () => {
      for (const release of letGo) release();
    },
  };
}
