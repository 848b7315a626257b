import { PawlProblem } from "../../../client/index.ts";
import type { Calls } from "../../../client/index.ts";
import { followSignals } from "../../../std/follow-signals.ts";
import type { DELIVERY_ROUTES } from "../api.ts";
import { DeliveryFault } from "./faults.ts";
import { readVerified } from "./read-verified.ts";
import type { Acknowledged, Sender } from "./sender.ts";
import type { Storage } from "./storage/storage.ts";

export type DeliveryCalls = Calls<typeof DELIVERY_ROUTES>;

export type Progress = { bytes: number; total_bytes: number | null };

/** Dependencies of `deliverFile`. */
export type DeliverFileDeps = {
  calls: Pick<DeliveryCalls, "getDeliverySource" | "forgetCachedDeliveryFile">;
  storage: Storage;
  sender: Sender;
};

/** A job that this worker runs. */
export type RunningJob = {
  file_id: string;
  chat_id: string;
  /** Reports the next status to the server; throws if it is refused. */
  startDownload: () => Promise<unknown>;
  startStream: () => Promise<unknown>;
  /** Throws if the worker has lost the job. */
  confirm: () => Promise<void>;
  onProgress: (progress: Progress) => void;
  /** Aborts when the job must stop. */
  signal: AbortSignal;
};

export type Delivered = Acknowledged & { revision: string | null };

/** Sends one file from the storage to Telegram. Errors are thrown as DeliveryFault. */
export async function deliverFile(
  { calls, storage, sender }: DeliverFileDeps,
  job: RunningJob,
): Promise<Delivered> {
  const { file_id, chat_id, signal } = job;
  await job.startDownload();
  const source = await sourceOf(calls, file_id);
  if (source.telegram_file_id !== null) {
    await job.startStream();
    await job.confirm();
    const sent = await sender.sendStored(chat_id, source.telegram_file_id, signal);
    if (sent) return { ...sent, revision: null };
    await calls.forgetCachedDeliveryFile({ id: file_id, telegram_file_id: source.telegram_file_id });
  }
  if (source.size !== null) sender.expectSize(source.size);
  const file = await storage.open(source.path, signal);
  const reading = followSignals([signal]);
  try {
    sender.expectSize(file.size);
    if (source.telegram_file_id === null) await job.startStream();
    const lastBytesReleased = new AbortController();
    const chunks = readVerified(file, {
      signal: reading.signal,
      onBytes: (bytes) => {
        job.onProgress({ bytes, total_bytes: file.size });
      },
      beforeLast: async () => {
        // With the last bytes Telegram accepts the file for good, so a worker that has lost the job must stop here.
        await job.confirm();
        signal.throwIfAborted();
        lastBytesReleased.abort();
      },
    });
    const sent = await sender.sendFile(
      chat_id,
      { name: source.name, chunks },
      followUntil(signal, lastBytesReleased.signal),
    );
    return { ...sent, revision: file.revision };
  } finally {
    reading.abort();
    reading.release();
    await file.close();
  }
}

async function sourceOf(calls: DeliverFileDeps["calls"], id: string) {
  try {
    const source = await calls.getDeliverySource({ id });
    if (source.kind === "file") return source;
  } catch (error) {
    if (!(error instanceof PawlProblem && error.status === 404)) throw error;
  }
  throw new DeliveryFault({ side: "storage", status: 404 });
}

/** Follows the first signal until the second one aborts. After that, Telegram's answer is awaited in any case. */
function followUntil(signal: AbortSignal, tooLate: AbortSignal): AbortSignal {
  const following = new AbortController();
  const follow = () => {
    if (!tooLate.aborted) following.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return following.signal;
}
