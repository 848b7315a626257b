// Plain JavaScript without imports from this package: a thread is started from a file, and this file is the same in src and in dist.
// Also runs on the main thread, for workers in the process of the engine.

/** @typedef {{ task_id: string, lease_token: string, lease_ms: number, good_until: number, warned: boolean }} TrackedLease */

const RETRY_DELAY_MS = 1_000;
/** Maximum delay of a timer; a longer one would fire at once. */
const MAX_TIMER_DELAY_MS = 2_147_483_647;

/** Renews the leases that it is given, and reports those that are lost. */
export class LeaseRenewal {
  /** @type {Map<string, TrackedLease>} */
  leases = new Map();
  lastMessageAt = performance.now();
  renewing = false;
  stopped = false;
  /** The last failure that was reported since the last success. @type {string | null} */
  failure = null;
  timer = undefined;
  expiryTimer = undefined;

  /** `send` renews leases within a number of milliseconds; `report` gets what happened to them. */
  constructor({ send, report, mainThreadTimeoutMs, renewalIntervalMs }) {
    this.send = send;
    this.report = report;
    this.mainThreadTimeoutMs = mainThreadTimeoutMs;
    this.renewalIntervalMs = renewalIntervalMs;
  }

  /** Keeps or releases a lease; an empty message only shows that the main thread is alive. */
  receive(message) {
    this.lastMessageAt = performance.now();
    if (message.keep) {
      const { task_id, lease_token, lease_ms } = message.keep;
      const good_until = this.lastMessageAt + lease_ms;
      this.leases.set(task_id, { task_id, lease_token, lease_ms, good_until, warned: false });
      this.schedule(message.renew_now ? 0 : this.intervalMs());
      this.reportExpired();
    } else if (
      message.release &&
      this.leases.get(message.release.task_id)?.lease_token === message.release.lease_token
    ) {
      this.leases.delete(message.release.task_id);
    }
  }

  stop() {
    this.stopped = true;
    this.leases.clear();
    clearTimeout(this.timer);
    clearTimeout(this.expiryTimer);
  }

  /** A third of the shortest lease, so that two renewals may fail. Whole milliseconds, as `AbortSignal.timeout` requires. */
  thirdOfLeaseMs() {
    const shortest = Math.min(...[...this.leases.values()].map(({ lease_ms }) => lease_ms));
    return Math.min(MAX_TIMER_DELAY_MS, Math.floor(shortest / 3));
  }

  intervalMs() {
    return Math.min(this.renewalIntervalMs, this.thirdOfLeaseMs());
  }

  /** Makes the next renewal earlier, never later. */
  schedule(ms) {
    if (this.renewing || this.leases.size === 0) return;
    const at = performance.now() + ms;
    if (this.timer && this.timer.at <= at) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.renew(), ms);
    this.timer.at = at;
  }

  async renew() {
    this.timer = undefined;
    if (this.leases.size === 0) return;
    // A main thread that is silent for this long is considered dead: other workers may have its tasks.
    if (performance.now() - this.lastMessageAt > this.mainThreadTimeoutMs) {
      this.schedule(this.intervalMs());
      return;
    }
    this.renewing = true;
    const requested = [...this.leases.values()];
    const sentAt = performance.now();
    try {
      const leases = requested.map(({ task_id, lease_token }) => ({ task_id, lease_token }));
      this.applyReply(requested, await this.send(leases, this.thirdOfLeaseMs()), sentAt);
      this.failure = null;
    } catch (error) {
      this.reportFailure(error);
    }
    this.renewing = false;
    if (!this.stopped)
      this.schedule(this.failure === null ? this.intervalMs() : Math.min(this.intervalMs(), RETRY_DELAY_MS));
  }

  /** Reports why a renewal failed; the same reason is reported once. */
  reportFailure(error) {
    const why = error.cause?.message ? `${error.message}: ${error.cause.message}` : error.message;
    if (why !== this.failure) this.report({ failed: why });
    this.failure = why;
  }

  applyReply(requested, { extended, lost }, sentAt) {
    const renewed = new Set(extended.map(({ task_id }) => task_id));
    for (const lease of requested) {
      // The lease was released, or the task was claimed again, during the request.
      if (this.leases.get(lease.task_id) !== lease) continue;
      if (renewed.has(lease.task_id)) lease.good_until = sentAt + lease.lease_ms;
      else if (lost.includes(lease.task_id)) {
        this.leases.delete(lease.task_id);
        this.report({ lost: lease.task_id, lease_token: lease.lease_token });
      }
    }
  }

  /** Reports leases that were not renewed in time: another worker may have the task, as the clock alone shows. */
  reportExpired() {
    clearTimeout(this.expiryTimer);
    const now = performance.now();
    let next = Infinity;
    for (const lease of this.leases.values()) {
      if (lease.warned) continue;
      if (now >= lease.good_until) {
        lease.warned = true;
        this.report({ expired: lease.task_id, lease_token: lease.lease_token });
      } else next = Math.min(next, lease.good_until);
    }
    this.expiryTimer =
      next === Infinity
        ? undefined
        : setTimeout(() => this.reportExpired(), Math.min(MAX_TIMER_DELAY_MS, Math.max(20, next - now)));
  }
}
