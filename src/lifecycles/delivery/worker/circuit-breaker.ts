import { retryUntilAnswered } from "../../../worker/index.ts";
import { sleep } from "../../../std/retry.ts";
import { CERTAIN_CODES, OUTAGE_CODES } from "../outage-codes.ts";
import type { Side } from "../outage-codes.ts";
import type { DeliveryCalls } from "./deliver-file.ts";
import { DeliveryFault, faultOf } from "./faults.ts";
import type { Log } from "./log.ts";
import type { Sender } from "./sender.ts";
import type { Storage } from "./storage/storage.ts";

type Deps = {
  calls: Pick<DeliveryCalls, "reportDeliveryOutage" | "takeDeliveryProbes" | "endDeliveryOutage">;
  storage: Storage;
  sender: Pick<Sender, "botName">;
  log: Log;
};
type Trip = { code: string; reason: string; retry_after_seconds: number };

/** Consecutive failures of one side after which it counts as down, if no single one proves it. */
const MAX_CONSECUTIVE_FAILURES = 3;
const MIN_POLL_INTERVAL_MS = 50;
const MAX_POLL_INTERVAL_MS = 1_000;
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** A job that was claimed when an outage began; it is released without an attempt. */
export class DeliveriesPaused extends Error {
  override readonly name = "DeliveriesPaused";
}

/** Stops claiming during an outage of the storage or of Telegram, and resumes after a successful probe. */
export class CircuitBreaker {
  private readonly deps: Deps;
  private readonly failures = new Map<Side, number>();
  /** Outages that are not reported yet. */
  private readonly tripped = new Map<Side, Trip>();
  private lastPath: string | null = null;
  private isStarting = true;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The storage, which remembers the last opened file for probes. */
  get storage(): Storage {
    const { storage } = this.deps;
    return {
      list: (folder, signal) => storage.list(folder, signal),
      open: (path, signal) => {
        this.lastPath = path;
        return storage.open(path, signal);
      },
    };
  }

  /** Throws if an outage began while the job was being claimed. */
  check(): void {
    if (this.tripped.size > 0) throw new DeliveriesPaused("Deliveries are paused.");
  }

  onDelivered({ revision }: { revision: string | null }): void {
    this.failures.delete("telegram");
    if (revision !== null) this.failures.delete("storage");
  }

  onFailed(error: unknown): void {
    if (!(error instanceof DeliveryFault) || !OUTAGE_CODES.includes(error.code)) return;
    const { side, code, message: reason, retryAfterSeconds } = error;
    const failures = (this.failures.get(side) ?? 0) + 1;
    this.failures.set(side, failures);
    if (failures < MAX_CONSECUTIVE_FAILURES && !CERTAIN_CODES.includes(code)) return;
    const retry_after_seconds = Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
    this.tripped.set(side, { code, reason: reason.slice(0, 500), retry_after_seconds });
    this.deps.log.error({ side, code, reason }, "outage: no jobs are claimed until a probe succeeds");
  }

  /** Waits until neither side has an outage, which any worker may have reported. */
  async untilClosed(signal: AbortSignal): Promise<void> {
    try {
      for (let waitMs: number | null; (waitMs = await this.probeDue(signal)) !== null;)
        await sleep(waitMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Reports new outages and does the probes that are due; returns the wait until the next look, or null. */
  private async probeDue(signal: AbortSignal): Promise<number | null> {
    const { calls, log } = this.deps;
    for (const [side, trip] of this.tripped) {
      await retryUntilAnswered(() => calls.reportDeliveryOutage({ side, ...trip }, { signal }), signal);
      if (this.tripped.get(side) === trip) this.tripped.delete(side);
    }
    const now = this.isStarting;
    const { outages, probes } = await retryUntilAnswered(
      () => calls.takeDeliveryProbes({ now }, { signal }),
      signal,
    );
    this.isStarting = false;
    const ended = new Set<Side>();
    for (const side of probes) {
      if (!(await this.probe(side, signal))) continue;
      await retryUntilAnswered(() => calls.endDeliveryOutage({ side }, { signal }), signal);
      this.failures.delete(side);
      ended.add(side);
      log.info({ side }, "the outage is over");
    }
    const open = outages.filter(({ side }) => !ended.has(side));
    if (open.length === 0 && this.tripped.size === 0) return null;
    const nextMs = Math.min(...open.map(({ probe_at }) => Date.parse(probe_at))) - Date.now();
    return Math.min(MAX_POLL_INTERVAL_MS, Math.max(MIN_POLL_INTERVAL_MS, nextMs));
  }

  /** Returns whether the side works; an answer about the file itself also proves it. */
  private async probe(side: Side, signal: AbortSignal): Promise<boolean> {
    try {
      await (side === "telegram" ? this.deps.sender.botName() : this.probeStorage(signal));
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const { code } = faultOf(error, side);
      this.deps.log.debug({ side, code }, "a probe failed");
      return code !== "UNKNOWN" && !OUTAGE_CODES.includes(code);
    }
  }

  /** Reads the first bytes of the last file, because a storage without quota still lists folders. */
  private async probeStorage(signal: AbortSignal): Promise<void> {
    const { storage } = this.deps;
    if (this.lastPath === null) {
      await firstOf(storage.list(null, signal));
      return;
    }
    const file = await storage.open(this.lastPath, signal);
    try {
      await firstOf(file.read(0, signal));
    } finally {
      await file.close();
    }
  }
}

async function firstOf(items: AsyncIterable<unknown>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
}
