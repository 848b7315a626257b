import { once } from "node:events";

/** Waits for a promise, or throws the signal's reason if that aborts first; the promise itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const waiting = new AbortController();
  const aborted = once(signal, "abort", { signal: waiting.signal }).then(() => {
    throw signal.reason;
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    waiting.abort();
    aborted.catch(() => undefined);
    work.catch(() => undefined);
  }
}
