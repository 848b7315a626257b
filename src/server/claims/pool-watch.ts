import type { ClaimRequest, Commits, PoolArrival } from "../../engine/index.ts";

/** Whoever is not called looks by himself, and no more often than this: what no call tells of is found so. */
const LOOK_EVERY_MS = 5_000;
/** So many looks in vain may follow each other on calls; in the long run they are no more than those by himself. */
const MOST_CREDIT = 3;
/** Whose time comes later than this is found by looking. */
const FORESEEN_MS = 60_000;
const MOST_FORESEEN = 1_000;
/** The database's clock is not ours. */
const CLOCKS_DIFFER_MS = 50;

/** Tasks that came into a pool, and who was called for them. */
type Call = { key: string; project_id: string; left: number; called: Set<PlaceInQueue> };

type Wanted = Pick<ClaimRequest, "lifecycle" | "project_id" | "limit">;

/**
 * Those who wait for tasks: for each that comes into a pool one of them is called, the longest waiting first. So a thousand
 * who wait ask the database no more than one would, and who is idle is asked nothing.
 */
export class PoolWatch {
  private readonly queues = new Map<string, Set<PlaceInQueue>>();
  private readonly foreseen = new Set<NodeJS.Timeout>();
  private readonly lookMs: number;

  constructor(commits: Commits, stopping: AbortSignal, lookMs = LOOK_EVERY_MS) {
    this.lookMs = lookMs;
    const forget = commits.onCommitted((org_id, _, arrivals) => {
      for (const one of arrivals) this.hear(org_id, one);
    });
    stopping.addEventListener("abort", () => {
      forget();
      for (const timer of this.foreseen) clearTimeout(timer);
    });
  }

  /** A place to wait at, until it is left. Entered before the first look: what comes meanwhile calls. */
  enter(org_id: string, { lifecycle, project_id = null, limit = 1 }: Wanted): PlaceInQueue {
    const key = keyOf(org_id, lifecycle);
    const queue = this.queues.get(key) ?? new Set();
    this.queues.set(key, queue);
    const place = new PlaceInQueue(
      { project_id, limit, lookMs: this.lookMs },
      {
        passOn: (call) => {
          call.left += limit;
          this.call(call);
        },
        leave: () => {
          queue.delete(place);
          if (queue.size === 0 && this.queues.get(key) === queue) this.queues.delete(key);
        },
      },
    );
    queue.add(place);
    return place;
  }

  private hear(org_id: string, { lifecycle, project_id, available_at, tasks }: PoolArrival): void {
    const call = () => {
      this.call({ key: keyOf(org_id, lifecycle), project_id, left: tasks, called: new Set() });
    };
    const inMs = available_at === null ? 0 : available_at - Date.now();
    if (inMs <= 0) call();
    else if (inMs <= FORESEEN_MS && this.foreseen.size < MOST_FORESEEN) {
      const timer = setTimeout(() => {
        this.foreseen.delete(timer);
        call();
      }, inMs + CLOCKS_DIFFER_MS).unref();
      this.foreseen.add(timer);
    }
  }

  private call(call: Call): void {
    for (const place of this.queues.get(call.key) ?? []) {
      if (call.left <= 0) return;
      if (call.called.has(place) || !place.looksInto(call.project_id)) continue;
      call.called.add(place);
      call.left -= place.limit;
      place.hear(call);
    }
  }
}

/** Where one waits. */
export class PlaceInQueue {
  readonly limit: number;
  private readonly project_id: string | null;
  private readonly lookMs: number;
  private readonly queue: { passOn: (call: Call) => void; leave: () => void };
  private call: Call | null = null;
  private wake: () => void = () => undefined;
  private credit = MOST_CREDIT;
  private lookedAt = Date.now();

  constructor(
    { project_id, limit, lookMs }: { project_id: string | null; limit: number; lookMs: number },
    queue: PlaceInQueue["queue"],
  ) {
    this.project_id = project_id;
    this.limit = limit;
    this.lookMs = lookMs;
    this.queue = queue;
  }

  looksInto(project_id: string): boolean {
    return this.project_id === null || this.project_id === project_id;
  }

  hear(call: Call): void {
    this.call = call;
    this.wake();
  }

  /** Looks; what is not for him he was called for may be for the next. */
  async look<Found>(find: () => Promise<Found>, isInVain: (found: Found) => boolean): Promise<Found> {
    const { call } = this;
    this.call = null;
    const now = Date.now();
    this.credit = Math.max(0, this.creditAt(now) - 1);
    this.lookedAt = now;
    const found = await find();
    if (call !== null && isInVain(found)) this.queue.passOn(call);
    return found;
  }

  /** Waits until it is worth looking again; false: the time is over, or nobody waits any more. */
  async isWorthALook(leftMs: number, signal: AbortSignal): Promise<boolean> {
    const end = Date.now() + leftMs;
    // Not all at the same moment; and who comes again when his time is over looks then.
    const next = this.lookedAt + this.lookMs * (1 + Math.random() / 4);
    const isLast = next + this.lookMs > end;
    await this.rest(isLast ? end : next, signal);
    if (isLast && this.call === null) return false;
    const soonest = this.lookedAt + Math.max(0, 1 - this.creditAt(this.lookedAt)) * this.lookMs;
    if (this.call !== null && !signal.aborted) await pause(Math.min(end, soonest) - Date.now(), signal);
    return !signal.aborted && Date.now() < end;
  }

  leave(): void {
    this.queue.leave();
    if (this.call !== null) this.queue.passOn(this.call);
  }

  private creditAt(now: number): number {
    return Math.min(MOST_CREDIT, this.credit + (now - this.lookedAt) / this.lookMs);
  }

  /** Until then, or until he is called. */
  private async rest(until: number, signal: AbortSignal): Promise<void> {
    if (this.call !== null) return;
    const called = new AbortController();
    this.wake = () => {
      called.abort();
    };
    await pause(until - Date.now(), AbortSignal.any([called.signal, signal]));
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over);
  });
}

function keyOf(org_id: string, lifecycle: string): string {
  return `${lifecycle} ${org_id}`;
}
