const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "something listens there already; end it, or choose another port",
  EACCES: "this user may not listen there; choose a port above 1023",
  EADDRNOTAVAIL: "this machine has no such address; choose one that it has",
  ENOTFOUND: "there is no such address; choose one that this machine has",
};

/** Describes why a server cannot listen, and what to do about it. */
export function describeListenError(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}
