import { timerDelay } from "../std/timer-delay.ts";

/** Tells the latest progress now and then, one at a time; what could not be told is overtaken by the next. */
export function progressTeller<Progress>(
  everyMs: number,
  send: (progress: Progress) => Promise<unknown>,
): { tell: (progress: Progress) => void; stop: () => void } {
  let waiting: { progress: Progress } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const next = () => {
    timer = undefined;
    if (!waiting || stopped) return;
    const { progress } = waiting;
    waiting = null;
    const again = () => {
      if (!stopped) timer = setTimeout(next, timerDelay(everyMs)).unref();
    };
    send(progress).then(again, again);
    // Held until the answer is there, so that nothing is sent beside it.
    timer = setTimeout(() => undefined, 0).unref();
  };
  return {
    tell: (progress) => {
      waiting = { progress };
      if (timer === undefined) next();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
