import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { DeliveryFault, faultOf } from "./faults.ts";
import type { FaultCode } from "./faults.ts";
import type { OpenedFile } from "./storage/storage.ts";

/** Temporary errors, after which reading resumes at the same byte. */
const TRANSIENT = new Set<FaultCode>(["NETWORK_RESET", "NETWORK_TIMEOUT", "STORAGE_UNAVAILABLE"]);
/** Consecutive interruptions without a byte between them. */
const MAX_INTERRUPTIONS = 3;

type ReadOptions = {
  signal: AbortSignal;
  /** Called with the number of bytes that were passed on. */
  onBytes: (bytes: number) => void;
  /** Awaited before the last bytes are passed on. Until then Telegram does not accept the file. */
  beforeLast: () => Promise<void>;
};

/**
 * Reads a file completely. An interrupted read resumes at the same byte, and the last bytes are held back until the hash of
 * the whole file was verified.
 */
export async function* readVerified(
  file: OpenedFile,
  { signal, onBytes, beforeLast }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let heldBack: Uint8Array | null = null;
  let sent = 0;
  for await (const chunk of readResuming(file, signal)) {
    if (chunk.length === 0) continue;
    hash.update(chunk);
    if (heldBack !== null) {
      yield heldBack;
      sent += heldBack.length;
      onBytes(sent);
    }
    heldBack = chunk;
  }
  if (file.sha256 !== null && hash.digest("hex") !== file.sha256.toLowerCase()) throw corrupted();
  await beforeLast();
  if (heldBack !== null) yield heldBack;
  onBytes(file.size);
}

async function* readResuming(file: OpenedFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let interruptions = 0; at < file.size; interruptions++) {
    if (interruptions > 0) await pause(Math.min(200 * 2 ** interruptions, 5_000), undefined, { signal });
    try {
      for await (const chunk of file.read(at, signal)) {
        at += chunk.length;
        if (at > file.size) throw corrupted();
        interruptions = 0;
        yield chunk;
      }
      // The response ended early without an error.
      if (at < file.size) throw new DeliveryFault({ side: "storage", network: "reset" });
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultOf(error, "storage");
      if (!TRANSIENT.has(fault.code) || interruptions >= MAX_INTERRUPTIONS) throw fault;
    }
  }
}

function corrupted(): DeliveryFault {
  return new DeliveryFault({ side: "storage", description: "corrupted" });
}
