import { PawlProblem } from "../../../client/index.ts";
import type { Calls } from "../../../client/index.ts";
import { followSignals } from "../../../std/follow-signals.ts";
import type { DELIVERY_ROUTES } from "../api.ts";
import { DeliveryFault } from "./faults.ts";
import { readWhole } from "./read-whole.ts";
import type { Acknowledged, Sender } from "./sender.ts";
import type { Storage } from "./storage/storage.ts";

export type DeliveryCalls = Calls<typeof DELIVERY_ROUTES>;

export type Progress = { bytes: number; total_bytes: number | null };

/** What a delivery needs beside the job. */
export type Hands = {
  calls: Pick<DeliveryCalls, "getDeliverySource" | "forgetCachedDeliveryFile">;
  storage: Storage;
  sender: Sender;
};

/** A job in hand. */
export type JobInHand = {
  file_id: string;
  chat_id: string;
  /** The next status is told to the server; what it refuses is thrown. */
  startDownload: () => Promise<unknown>;
  startStream: () => Promise<unknown>;
  /** Throws unless the job is still ours. */
  confirm: () => Promise<void>;
  onProgress: (progress: Progress) => void;
  /** Aborts when the job is not to be gone on with. */
  signal: AbortSignal;
};

export type Delivered = Acknowledged & { revision: string | null };

/** Takes one file from storage to Telegram. What goes wrong is thrown as a DeliveryFault. */
export async function deliverFile({ calls, storage, sender }: Hands, job: JobInHand): Promise<Delivered> {
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
    const beyondRecall = new AbortController();
    const chunks = readWhole(file, {
      signal: reading.signal,
      onBytes: (bytes) => {
        job.onProgress({ bytes, total_bytes: file.size });
      },
      beforeLast: async () => {
        // With the last bytes Telegram takes it as sent, and nobody can call it back: so whoever lost the job stops here.
        await job.confirm();
        signal.throwIfAborted();
        beyondRecall.abort();
      },
    });
    const sent = await sender.sendFile(
      chat_id,
      { name: source.name, chunks },
      until(signal, beyondRecall.signal),
    );
    return { ...sent, revision: file.revision };
  } finally {
    reading.abort();
    reading.release();
    await file.close();
  }
}

async function sourceOf(calls: Hands["calls"], id: string) {
  try {
    const source = await calls.getDeliverySource({ id });
    if (source.kind === "file") return source;
  } catch (error) {
    if (!(error instanceof PawlProblem && error.status === 404)) throw error;
  }
  throw new DeliveryFault({ side: "storage", status: 404 });
}

/** Aborts with the first signal, but not after the second: then the answer is waited for, whoever has lost patience. */
function until(signal: AbortSignal, tooLate: AbortSignal): AbortSignal {
  const following = new AbortController();
  const follow = () => {
    if (!tooLate.aborted) following.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return following.signal;
}
