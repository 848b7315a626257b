import { timerDelay } from "../../std/timer-delay.ts";
import { withTimeout } from "../../std/with-timeout.ts";

export type Sweeper = {
  /** Waits for a running sweep, but not for one that does not end, and stops. May be called twice. */
  stop(): Promise<void>;
};

type SweeperOptions = {
  everyMs: number;
  /** Delay before the first sweep; default `everyMs`. */
  firstMs?: number;
  onFault?: (error: unknown) => void;
};

/** Maximum time to wait for a running sweep when it stops: that of a plugin may never end. */
const STOP_TIMEOUT_MS = 10_000;

/** Sweeps every `everyMs`. A sweep that fails is reported to `onFault`, and the next one follows as usual. */
export function startSweeper(
  sweep: () => Promise<unknown>,
  { everyMs, firstMs = everyMs, onFault = () => undefined }: SweeperOptions,
): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const next = (ms: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = sweep()
        .then(() => undefined, onFault)
        .then(() => {
          next(everyMs);
        });
    }, timerDelay(ms));
    // The timer must not keep the process of a library user alive.
    timer.unref();
  };
  next(firstMs);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await withTimeout(running, STOP_TIMEOUT_MS, () => undefined);
    },
  };
}
