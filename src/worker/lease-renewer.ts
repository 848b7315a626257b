import { Worker as Thread } from "node:worker_threads";
import { timerDelay } from "../std/timer-delay.ts";
import type { Connection } from "../client/connection.ts";

/** A lease of this worker. */
export type HeldLease = { task_id: string; lease_token: string; lease_ms: number };

/** Why a lease was lost: the server has reported it, or it expired before it could be renewed. */
export type Loss = "taken" | "expired";

type TrackedLease = { lease: HeldLease; onLoss: (why: Loss) => void };
type ThreadMessage =
  { lost: string; lease_token: string } | { expired: string; lease_token: string } | { failed: string };

/** Delay before a thread that has ended is replaced; avoids a tight loop if threads cannot start. */
const RESTART_DELAY_MS = 200;

/** Renews leases from a separate thread, which a busy handler cannot block, and reports lost ones. */
export class LeaseRenewer {
  private readonly leases = new Map<string, TrackedLease>();
  private readonly keepAlive: NodeJS.Timeout;
  private readonly connection: Pick<Connection, "url" | "headers">;
  private readonly mainThreadTimeoutMs: number;
  private readonly onFailure: (error: Error) => void;
  private thread: Thread;
  private restart: NodeJS.Timeout | undefined;
  private stopped = false;

  /** If the main thread is silent for `mainThreadTimeoutMs`, it is considered dead and its leases are no longer renewed. */
  constructor(
    connection: Pick<Connection, "url" | "headers">,
    mainThreadTimeoutMs: number,
    /** Called when a renewal fails; it is retried in any case. */
    onFailure: (error: Error) => void,
  ) {
    this.connection = connection;
    this.onFailure = onFailure;
    this.mainThreadTimeoutMs = mainThreadTimeoutMs;
    this.thread = this.startThread();
    this.keepAlive = setInterval(
      () => {
        this.thread.postMessage({});
      },
      timerDelay(Math.min(5_000, mainThreadTimeoutMs / 4)),
    );
    this.keepAlive.unref();
  }

  keep(lease: HeldLease, onLoss: (why: Loss) => void): void {
    this.leases.set(lease.task_id, { lease, onLoss });
    this.thread.postMessage({ keep: lease });
  }

  release({ task_id, lease_token }: Pick<HeldLease, "task_id" | "lease_token">): void {
    if (this.leases.get(task_id)?.lease.lease_token === lease_token) this.leases.delete(task_id);
    this.thread.postMessage({ release: { task_id, lease_token } });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.keepAlive);
    clearTimeout(this.restart);
    await this.thread.terminate();
  }

  private startThread(): Thread {
    const { url, headers } = this.connection;
    const thread = new Thread(new URL("./lease-renewal-thread.mjs", import.meta.url), {
      workerData: { url, headers: { ...headers }, mainThreadTimeoutMs: this.mainThreadTimeoutMs },
      // The thread needs none of the options of the process, such as a loader or an inspector.
      execArgv: [],
    });
    // The thread must not keep a finished process alive.
    thread.unref();
    thread.on("message", (message: ThreadMessage) => {
      this.onMessage(message);
    });
    thread.on("error", this.onFailure);
    thread.on("exit", () => {
      if (this.stopped) return;
      this.restart = setTimeout(() => {
        this.thread = this.startThread();
        for (const { lease } of this.leases.values())
          this.thread.postMessage({ keep: lease, renew_now: true });
      }, RESTART_DELAY_MS).unref();
    });
    return thread;
  }

  private onMessage(message: ThreadMessage): void {
    if ("failed" in message) {
      this.onFailure(new Error(message.failed));
      return;
    }
    const [task_id, why] =
      "lost" in message ? ([message.lost, "taken"] as const) : ([message.expired, "expired"] as const);
    const tracked = this.leases.get(task_id);
    if (tracked?.lease.lease_token !== message.lease_token) return;
    if (why === "taken") this.leases.delete(task_id);
    tracked.onLoss(why);
  }
}
