import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { DeliveryFault, faultOf } from "./faults.ts";
import type { FaultCode } from "./faults.ts";
import type { OpenedFile } from "./storage/storage.ts";

/** These may be over in a moment: the rest of the file can be had where it broke off. */
const PASSING = new Set<FaultCode>(["NETWORK_RESET", "NETWORK_TIMEOUT", "STORAGE_UNAVAILABLE"]);
/** In a row, without a byte between them. */
const MOST_BREAKS = 3;

type Reading = {
  signal: AbortSignal;
  /** Hears how much has been taken. */
  onBytes: (bytes: number) => void;
  /** Asked when all but the last bytes are on their way: nobody takes a file as sent that is not complete. */
  beforeLast: () => Promise<void>;
};

/**
 * The bytes of a file, whole: what breaks off is gone on with where it broke off, and the last bytes are held back until
 * the rest is known to be what is stored.
 */
export async function* readWhole(
  file: OpenedFile,
  { signal, onBytes, beforeLast }: Reading,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let held: Uint8Array | null = null;
  let taken = 0;
  for await (const chunk of unbroken(file, signal)) {
    if (chunk.length === 0) continue;
    hash.update(chunk);
    if (held !== null) {
      yield held;
      taken += held.length;
      onBytes(taken);
    }
    held = chunk;
  }
  if (file.sha256 !== null && hash.digest("hex") !== file.sha256.toLowerCase()) throw corrupted();
  await beforeLast();
  if (held !== null) yield held;
  onBytes(file.size);
}

async function* unbroken(file: OpenedFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let breaks = 0; at < file.size; breaks++) {
    if (breaks > 0) await pause(Math.min(200 * 2 ** breaks, 5_000), undefined, { signal });
    try {
      for await (const chunk of file.read(at, signal)) {
        at += chunk.length;
        if (at > file.size) throw corrupted();
        breaks = 0;
        yield chunk;
      }
      // It ended as if that were all.
      if (at < file.size) throw new DeliveryFault({ side: "storage", network: "reset" });
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultOf(error, "storage");
      if (!PASSING.has(fault.code) || breaks >= MOST_BREAKS) throw fault;
    }
  }
}

function corrupted(): DeliveryFault {
  return new DeliveryFault({ side: "storage", word: "corrupted" });
}
