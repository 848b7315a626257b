import { followSignals } from "../../../../std/follow-signals.ts";
import { DeliveryFault, faultOf } from "../faults.ts";
import type { TimeLimit } from "../with-time-limit.ts";

type RangeOptions = {
  size: number;
  from: number;
  /** Maximum wait for the answer, or for the next bytes. */
  stallMs: number;
  signal: AbortSignal;
  /** Requests the bytes from `from` on. */
  request: (limit: TimeLimit) => Promise<Response>;
};

/** Reads a file over HTTP from a position on; a stalled transfer is aborted. */
export async function* readRange(options: RangeOptions): AsyncGenerator<Uint8Array> {
  const { signal, stallMs, request } = options;
  const reading = followSignals([signal]);
  // One timer for the whole file: a signal and a timer per chunk were most of the worker's garbage.
  let waitingSince = Infinity;
  const timer = setInterval(
    () => {
      if (Date.now() - waitingSince >= stallMs)
        reading.abort(new DeliveryFault({ side: "storage", network: "timeout" }));
    },
    Math.min(1_000, stallMs / 4),
  );
  try {
    const response = await request({ ms: stallMs, side: "storage", signal: reading.signal });
    checkRange(response, options);
    if (response.body === null) return;
    waitingSince = Date.now();
    for await (const chunk of response.body) {
      // While the consumer has the chunk, the read does not wait for the storage.
      waitingSince = Infinity;
      yield chunk;
      waitingSince = Date.now();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, "storage");
  } finally {
    clearInterval(timer);
    reading.abort();
    reading.release();
  }
}

/** Returns the headers that request the bytes from a position on, uncompressed: lengths and ranges are those of the file. */
export function rangeHeaders(from: number): Record<string, string> {
  return { "accept-encoding": "identity", ...(from > 0 ? { range: `bytes=${from}-` } : {}) };
}

/** Checks that the response has the stored length and the requested start. */
function checkRange(response: Response, { size, from }: { size: number; from: number }): void {
  // `fetch` decodes a compressed answer. Its length is not that of the file, and a part of it cannot be decoded.
  if (isCompressed(response)) {
    if (from === 0) return;
    throw new DeliveryFault({ side: "storage", description: "corrupted" });
  }
  const length = response.headers.get("content-length");
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
  const whole = from === 0 && response.status === 200 && (length === null || Number(length) === size);
  const rest =
    response.status === 206 &&
    Number(range?.[1]) === from &&
    (range?.[2] === "*" || Number(range?.[2]) === size);
  if (!whole && !rest) throw new DeliveryFault({ side: "storage", description: "corrupted" });
}

function isCompressed({ headers }: Response): boolean {
  return !["", "identity"].includes(headers.get("content-encoding")?.trim().toLowerCase() ?? "");
}
