import { timerDelay } from "../std/timer-delay.ts";

/** Sends the latest progress, at most once per interval and one request at a time. A failed report is not repeated. */
export function progressReporter<Progress>(
  intervalMs: number,
  send: (progress: Progress) => Promise<unknown>,
): { report: (progress: Progress) => void; stop: () => void } {
  let waiting: { progress: Progress } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const next = () => {
    timer = undefined;
    if (!waiting || stopped) return;
    const { progress } = waiting;
    waiting = null;
    const again = () => {
      if (!stopped) timer = setTimeout(next, timerDelay(intervalMs)).unref();
    };
    send(progress).then(again, again);
    // A placeholder that blocks further sending until the reply arrives.
    timer = setTimeout(() => undefined, 0).unref();
  };
  return {
    report: (progress) => {
      waiting = { progress };
      if (timer === undefined) next();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
