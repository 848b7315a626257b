import { timerDelay } from "./timer-delay.ts";

/**
 * Waits at most `ms` for a promise. On a timeout, returns or throws what `onTimeout` does; the promise itself continues, and a
 * later rejection is ignored.
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
