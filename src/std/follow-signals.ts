/** Returns a signal that aborts with the first of several. Call `release` when done, to remove its listeners. */
export function followSignals(signals: readonly (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  abort: (reason?: unknown) => void;
  release: () => void;
} {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    const forward = () => {
      controller.abort(signal.reason);
    };
    if (signal.aborted) forward();
    signal.addEventListener("abort", forward);
    releases.push(() => {
      signal.removeEventListener("abort", forward);
    });
  }
  return {
    signal: controller.signal,
    abort: (reason) => {
      controller.abort(reason);
    },
    release: () => {
      for (const remove of releases) remove();
    },
  };
}
