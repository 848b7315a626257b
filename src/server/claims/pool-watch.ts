import type { ClaimRequest, Commits, PoolArrival } from "../../engine/index.ts";

/** Poll interval of waiters, which finds tasks that no hint announced. */
const POLL_INTERVAL_MS = 5_000;
/** Failed attempts that hints may cause in a row; in the long run, hints cause no more attempts than polling does. */
const MAX_BURST = 3;
/** A timer is set for tasks that become available within this time; polling finds later ones. */
const SCHEDULED_WITHIN_MS = 60_000;
const MAX_SCHEDULED = 1_000;
/** The clock of the database may differ. */
const CLOCK_TOLERANCE_MS = 50;

/** Tasks that arrived in a pool, and the waiters that were woken for them. */
type Hint = { key: string; project_id: string; left: number; woken: Set<Waiter> };

type ClaimFilter = Pick<ClaimRequest, "lifecycle" | "project_id" | "limit">;

/**
 * Wakes waiting claims: for each task that arrives in a pool one waiter is woken, the longest waiting first. So a thousand
 * waiters query the database no more often than one.
 */
export class PoolWatch {
  private readonly queues = new Map<string, Set<Waiter>>();
  private readonly scheduled = new Set<NodeJS.Timeout>();
  private readonly pollMs: number;

  constructor(commits: Commits, stopping: AbortSignal, pollMs = POLL_INTERVAL_MS) {
    this.pollMs = pollMs;
    const unsubscribe = commits.onCommitted((org_id, _, arrivals) => {
      for (const one of arrivals) this.announce(org_id, one);
    });
    stopping.addEventListener("abort", () => {
      unsubscribe();
      for (const timer of this.scheduled) clearTimeout(timer);
    });
  }

  /** Adds a waiter, until it leaves. Call it before the first attempt, so that tasks that arrive meanwhile wake it. */
  enter(org_id: string, { lifecycle, project_id = null, limit = 1 }: ClaimFilter): Waiter {
    const key = keyOf(org_id, lifecycle);
    const queue = this.queues.get(key) ?? new Set();
    this.queues.set(key, queue);
    const waiter = new Waiter(
      { project_id, limit, pollMs: this.pollMs },
      {
        handOver: (hint) => {
          hint.left += limit;
          this.wake(hint);
        },
        leave: () => {
          queue.delete(waiter);
          if (queue.size === 0 && this.queues.get(key) === queue) this.queues.delete(key);
        },
      },
    );
    queue.add(waiter);
    return waiter;
  }

  private announce(org_id: string, { lifecycle, project_id, available_at, tasks }: PoolArrival): void {
    const wake = () => {
      this.wake({ key: keyOf(org_id, lifecycle), project_id, left: tasks, woken: new Set() });
    };
    const inMs = available_at === null ? 0 : available_at - Date.now();
    if (inMs <= 0) wake();
    else if (inMs <= SCHEDULED_WITHIN_MS && this.scheduled.size < MAX_SCHEDULED) {
      const timer = setTimeout(() => {
        this.scheduled.delete(timer);
        wake();
      }, inMs + CLOCK_TOLERANCE_MS).unref();
      this.scheduled.add(timer);
    }
  }

  private wake(hint: Hint): void {
    for (const waiter of this.queues.get(hint.key) ?? []) {
      if (hint.left <= 0) return;
      if (hint.woken.has(waiter) || !waiter.accepts(hint.project_id)) continue;
      hint.woken.add(waiter);
      hint.left -= waiter.limit;
      waiter.wakeFor(hint);
    }
  }
}

/** One waiting claim. */
export class Waiter {
  readonly limit: number;
  private readonly project_id: string | null;
  private readonly pollMs: number;
  private readonly queue: { handOver: (hint: Hint) => void; leave: () => void };
  private hint: Hint | null = null;
  private wake: () => void = () => undefined;
  private burst = MAX_BURST;
  private attemptedAt = Date.now();

  constructor(
    { project_id, limit, pollMs }: { project_id: string | null; limit: number; pollMs: number },
    queue: Waiter["queue"],
  ) {
    this.project_id = project_id;
    this.limit = limit;
    this.pollMs = pollMs;
    this.queue = queue;
  }

  accepts(project_id: string): boolean {
    return this.project_id === null || this.project_id === project_id;
  }

  wakeFor(hint: Hint): void {
    this.hint = hint;
    this.wake();
  }

  /** Tries to claim; if a hint led to nothing, hands the hint to the next waiter. */
  async attempt<Found>(find: () => Promise<Found>, isEmpty: (found: Found) => boolean): Promise<Found> {
    const { hint } = this;
    this.hint = null;
    const now = Date.now();
    this.burst = Math.max(0, this.burstAt(now) - 1);
    this.attemptedAt = now;
    const found = await find();
    if (hint !== null && isEmpty(found)) this.queue.handOver(hint);
    return found;
  }

  /** Waits until the next attempt is due; returns false if the time is over or the caller is gone. */
  async waitForHint(leftMs: number, signal: AbortSignal): Promise<boolean> {
    const end = Date.now() + leftMs;
    // Jitter, so that waiters do not poll together. No poll at the end: a client that claims again attempts then.
    const next = this.attemptedAt + this.pollMs * (1 + Math.random() / 4);
    const isLast = next + this.pollMs > end;
    await this.sleepUntil(isLast ? end : next, signal);
    if (isLast && this.hint === null) return false;
    const soonest = this.attemptedAt + Math.max(0, 1 - this.burstAt(this.attemptedAt)) * this.pollMs;
    if (this.hint !== null && !signal.aborted) await pause(Math.min(end, soonest) - Date.now(), signal);
    return !signal.aborted && Date.now() < end;
  }

  leave(): void {
    this.queue.leave();
    if (this.hint !== null) this.queue.handOver(this.hint);
  }

  private burstAt(now: number): number {
    return Math.min(MAX_BURST, this.burst + (now - this.attemptedAt) / this.pollMs);
  }

  /** Sleeps until the moment or the next hint. */
  private async sleepUntil(until: number, signal: AbortSignal): Promise<void> {
    if (this.hint !== null) return;
    const woken = new AbortController();
    this.wake = () => {
      woken.abort();
    };
    await pause(until - Date.now(), AbortSignal.any([woken.signal, signal]));
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

function keyOf(org_id: string, lifecycle: string): string {
  return `${lifecycle} ${org_id}`;
}
