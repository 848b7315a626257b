import { timerDelay } from "../std/timer-delay.ts";
import type { RenewalReport } from "./lease-renewal.mjs";
import type { RenewalHost, RenewalTimes, StartRenewal } from "./renewal-host.ts";

/** A lease of this worker. */
export type HeldLease = { task_id: string; lease_token: string; lease_ms: number };

/** Why a lease was lost: the server has reported it, or it expired before it could be renewed. */
export type Loss = "taken" | "expired";

type TrackedLease = { lease: HeldLease; onLoss: (why: Loss) => void };

/** Delay before a host that has ended is replaced; avoids a tight loop if threads cannot start. */
const RESTART_DELAY_MS = 200;

/** Keeps the leases of running tasks renewed, and reports lost ones. */
export class LeaseRenewer {
  private readonly leases = new Map<string, TrackedLease>();
  private readonly keepAlive: NodeJS.Timeout;
  private readonly startRenewal: StartRenewal;
  private readonly onFailure: (error: Error) => void;
  private host: RenewalHost;
  private restart: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    startRenewal: StartRenewal,
    { mainThreadTimeoutMs }: RenewalTimes,
    /** Called when a renewal fails; it is retried in any case. */
    onFailure: (error: Error) => void,
  ) {
    this.startRenewal = startRenewal;
    this.onFailure = onFailure;
    this.host = this.startHost();
    this.keepAlive = setInterval(
      () => {
        this.host.post({});
      },
      timerDelay(Math.min(5_000, mainThreadTimeoutMs / 4)),
    );
    this.keepAlive.unref();
  }

  keep(lease: HeldLease, onLoss: (why: Loss) => void): void {
    this.leases.set(lease.task_id, { lease, onLoss });
    this.host.post({ keep: lease });
  }

  release({ task_id, lease_token }: Pick<HeldLease, "task_id" | "lease_token">): void {
    if (this.leases.get(task_id)?.lease.lease_token === lease_token) this.leases.delete(task_id);
    this.host.post({ release: { task_id, lease_token } });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.keepAlive);
    clearTimeout(this.restart);
    await this.host.stop();
  }

  private startHost(): RenewalHost {
    return this.startRenewal({
      onReport: (report) => {
        this.onReport(report);
      },
      onFailure: this.onFailure,
      onEnd: () => {
        if (this.stopped) return;
        this.restart = setTimeout(() => {
          this.host = this.startHost();
          for (const { lease } of this.leases.values()) this.host.post({ keep: lease, renew_now: true });
        }, RESTART_DELAY_MS).unref();
      },
    });
  }

  private onReport(report: RenewalReport): void {
    if ("failed" in report) {
      this.onFailure(new Error(report.failed));
      return;
    }
    const [task_id, why] =
      "lost" in report ? ([report.lost, "taken"] as const) : ([report.expired, "expired"] as const);
    const tracked = this.leases.get(task_id);
    if (tracked?.lease.lease_token !== report.lease_token) return;
    if (why === "taken") this.leases.delete(task_id);
    tracked.onLoss(why);
  }
}
