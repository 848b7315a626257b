import { Worker as Thread } from "node:worker_threads";
import { timerDelay } from "../std/timer-delay.ts";
import type { Connection } from "../client/connection.ts";

/** A claim as its holder knows it. */
export type HeldLease = { task_id: string; lease_token: string; lease_ms: number };

/** Why a lease is not ours any more: the server says so, or it ran out before anybody could renew it. */
export type Loss = "taken" | "ran out";

type Keeper = { lease: HeldLease; onLoss: (why: Loss) => void };
type Told =
  { lost: string; lease_token: string } | { expired: string; lease_token: string } | { failed: string };

/** Delay before a thread that ended by itself is replaced, so that one that cannot start is not restarted in a tight loop. */
const RESTART_DELAY_MS = 200;

/** Renews leases from a thread of its own, which no busy handler can hold up, and tells which are lost. */
export class Heart {
  private readonly keepers = new Map<string, Keeper>();
  private readonly alive: NodeJS.Timeout;
  private readonly connection: Pick<Connection, "url" | "headers">;
  private readonly silenceMs: number;
  private readonly onFailure: (error: Error) => void;
  private thread: Thread;
  private restart: NodeJS.Timeout | undefined;
  private stopped = false;

  /** A main thread that is silent for `silenceMs` is taken for dead: its leases are renewed no more. */
  constructor(
    connection: Pick<Connection, "url" | "headers">,
    silenceMs: number,
    /** Called when a renewal fails; it is retried in any case. */
    onFailure: (error: Error) => void,
  ) {
    this.connection = connection;
    this.onFailure = onFailure;
    this.silenceMs = silenceMs;
    this.thread = this.beget();
    this.alive = setInterval(
      () => {
        this.thread.postMessage({});
      },
      timerDelay(Math.min(5_000, silenceMs / 4)),
    );
    this.alive.unref();
  }

  keep(lease: HeldLease, onLoss: (why: Loss) => void): void {
    this.keepers.set(lease.task_id, { lease, onLoss });
    this.thread.postMessage({ keep: lease });
  }

  release({ task_id, lease_token }: Pick<HeldLease, "task_id" | "lease_token">): void {
    if (this.keepers.get(task_id)?.lease.lease_token === lease_token) this.keepers.delete(task_id);
    this.thread.postMessage({ release: { task_id, lease_token } });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.alive);
    clearTimeout(this.restart);
    await this.thread.terminate();
  }

  private beget(): Thread {
    const { url, headers } = this.connection;
    const thread = new Thread(new URL("./heart-thread.mjs", import.meta.url), {
      workerData: { url, headers: { ...headers }, silenceMs: this.silenceMs },
      // It needs no loader, inspector or whatever else the process was started with.
      execArgv: [],
    });
    // A process whose work is done ends, whatever still beats.
    thread.unref();
    thread.on("message", (told: Told) => {
      this.hear(told);
    });
    thread.on("error", this.onFailure);
    thread.on("exit", () => {
      if (this.stopped) return;
      this.restart = setTimeout(() => {
        this.thread = this.beget();
        for (const { lease } of this.keepers.values())
          this.thread.postMessage({ keep: lease, beats_at_once: true });
      }, RESTART_DELAY_MS).unref();
    });
    return thread;
  }

  private hear(told: Told): void {
    if ("failed" in told) {
      this.onFailure(new Error(told.failed));
      return;
    }
    const [task_id, why] =
      "lost" in told ? ([told.lost, "taken"] as const) : ([told.expired, "ran out"] as const);
    const keeper = this.keepers.get(task_id);
    if (keeper?.lease.lease_token !== told.lease_token) return;
    if (why === "taken") this.keepers.delete(task_id);
    keeper.onLoss(why);
  }
}
