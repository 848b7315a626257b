export type Sweeper = {
  /** Ends the sweeping, after the sweep that is under way. May be called twice. */
  stop(): Promise<void>;
};

/** Sweeps again and again; a sweep that fails is told, and the next one comes all the same. */
export function startSweeper(
  sweep: () => Promise<unknown>,
  { everyMs, onFault = () => undefined }: { everyMs: number; onFault?: (error: unknown) => void },
): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const next = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = sweep()
        .then(() => undefined, onFault)
        .then(next);
    }, everyMs);
    // A library must not keep its user's process alive.
    timer.unref();
  };
  next();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
