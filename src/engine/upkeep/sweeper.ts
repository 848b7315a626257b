import { timerDelay } from "../../std/timer-delay.ts";

export type Sweeper = {
  /** Ends the sweeping, after the sweep that is under way. May be called twice. */
  stop(): Promise<void>;
};

type SweeperOptions = {
  everyMs: number;
  /** Before the first sweep; as long as between two unless told. */
  firstMs?: number;
  onFault?: (error: unknown) => void;
};

/** Sweeps again and again; a sweep that fails is told, and the next one comes all the same. */
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
    // A library must not keep its user's process alive.
    timer.unref();
  };
  next(firstMs);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
