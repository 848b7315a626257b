/** A signal that aborts with the first of several; release it, else signals that live long collect its listeners. */
export function followSignals(signals: readonly (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  abort: (reason?: unknown) => void;
  release: () => void;
} {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    const leave = () => {
      controller.abort(signal.reason);
    };
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave);
    releases.push(() => {
      signal.removeEventListener("abort", leave);
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
