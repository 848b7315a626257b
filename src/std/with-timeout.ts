import { timerDelay } from "./timer-delay.ts";

/**
 * Waits for a promise for at most `ms`, and then for what `onTimeout` returns or throws. The timer is cleared; the promise itself
 * goes on, and if it rejects later, that is ignored.
 */
export async function withTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  onTimeout: () => Late,
): Promise<T | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timerDelay(ms));
  }).then(onTimeout);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
