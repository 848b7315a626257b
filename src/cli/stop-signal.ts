import type { CliEnvironment } from "./cli-environment.ts";

/** Aborts at Ctrl-C, SIGTERM, or when the reader of the output has closed it: the end of a command that prints events. */
export function stopSignal({ out, untilStopped }: Pick<CliEnvironment, "out" | "untilStopped">): AbortSignal {
  const stopping = new AbortController();
  const stop = () => {
    stopping.abort();
  };
  void untilStopped().then(stop);
  void out.untilClosed().then(stop);
  return stopping.signal;
}
