import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { SomeLifecycle, Tasks } from "../client/index.ts";
import { connectionOf } from "../client/connection.ts";
import { retryDelayMs, sleep } from "../std/retry.ts";
import { tasksOf } from "../client/tasks.ts";
import { MAX_TIMER_DELAY_MS, timerDelay } from "../std/timer-delay.ts";
import { Heart } from "./heart.ts";
import { MoveSender } from "./move-sender.ts";
import { isTemporary } from "./retry-call.ts";
import { TaskRun, withoutLease } from "./task-run.ts";
import type { ClaimedTask, RunningWorker, WorkerEvent, WorkerOptions } from "./worker-options.ts";

const MOST_AT_ONCE = 1_000;
const WAIT_SECONDS = 30;
const GRACE_MS = 30_000;
const SILENCE_MS = 600_000;
/** Whoever has nothing to do asks no more often than this. */
const IDLE_MS = 5_000;

const DURATIONS = ["timeoutMs", "graceMs", "unwindMs", "silenceMs", "progressEveryMs"] as const;

/**
 * Works on a lifecycle's pool until it is stopped: claims, runs under a lease that is renewed whatever the run does,
 * reports, and never finishes what is not its own any more.
 */
export function startWorker<L extends SomeLifecycle, Progress = unknown>(
  options: WorkerOptions<L, Progress>,
): RunningWorker {
  const worker = new WorkerLoop(options);
  return {
    stop: ({ graceMs } = {}) => worker.stop(graceMs),
    finished: worker.finished,
    get running() {
      return worker.running;
    },
  };
}

class WorkerLoop<L extends SomeLifecycle, Progress> {
  readonly finished: Promise<void>;
  private readonly options: WorkerOptions<L, Progress>;
  private readonly concurrency: number;
  private readonly tasks: Tasks<L>;
  private readonly heart: Heart;
  private readonly moves: MoveSender;
  private readonly waiting: TaskRun<L, Progress>[] = [];
  private readonly runs = new Map<TaskRun<L, Progress>, Promise<void>>();
  /** Aborts when no more is claimed. */
  private readonly closing = new AbortController();
  /** Aborts when runs may go on no longer. */
  private readonly impatience = new AbortController();
  /** Aborts when nothing is waited for any more. */
  private readonly end = new AbortController();
  private readonly pace = new Pace();
  private wake: () => void = () => undefined;
  private reachable = true;
  private stopping: Promise<void> | undefined;

  constructor(options: WorkerOptions<L, Progress>) {
    const { client, lifecycle, concurrency = 1, silenceMs = SILENCE_MS } = options;
    if (!Number.isSafeInteger(concurrency) || concurrency < 1 || concurrency > MOST_AT_ONCE)
      throw new RangeError(`concurrency: ${concurrency} is not a whole number from 1 to ${MOST_AT_ONCE}`);
    for (const name of DURATIONS) checkDuration(name, options[name]);
    const connection = connectionOf(client);
    if (!connection)
      throw new TypeError("client: startWorker needs a client as createClient made it, for its heartbeats");
    // Every run listens to it; Node would take more than ten listeners for a leak.
    setMaxListeners(0, this.end.signal);
    this.options = options;
    this.concurrency = concurrency;
    this.tasks = tasksOf<L>(lifecycle.name, client);
    this.moves = new MoveSender(tasksOf(lifecycle.name, client), this.end.signal);
    this.heart = new Heart(connection, silenceMs, (error) => {
      this.tell({ kind: "renewal_failed", error });
    });
    this.finished = this.claimOnAndOn().then(
      () => this.stop(),
      async (error: unknown) => {
        await this.stop();
        throw error;
      },
    );
    // Whoever does not look at it hears of it by `onEvent`.
    this.finished.catch(() => undefined);
  }

  get running(): number {
    return this.runs.size;
  }

  stop(graceMs?: number): Promise<void> {
    // Said again, with less patience.
    if (this.stopping && graceMs !== undefined)
      setTimeout(() => {
        this.impatience.abort();
      }, timerDelay(graceMs)).unref();
    return (this.stopping ??= this.windUp(graceMs ?? this.options.graceMs ?? GRACE_MS));
  }

  private async windUp(graceMs: number): Promise<void> {
    this.closing.abort();
    this.wake();
    // A claim that was under way may have taken tasks: they are given back as well.
    const giveBack = async () => {
      await this.claiming;
      await Promise.all(this.waiting.splice(0).map((run) => run.giveBack()));
    };
    const quiet = Promise.all([giveBack(), this.untilIdle()]);
    await Promise.race([quiet, sleep(graceMs, this.impatience.signal).catch(() => undefined)]);
    this.impatience.abort();
    for (const run of this.runs.keys()) run.interrupt();
    // Long enough for those who heed, for those who do not, and for a server that comes back.
    await Promise.race([
      quiet,
      sleep((this.options.unwindMs ?? 5_000) * 2, this.end.signal).catch(() => undefined),
    ]);
    this.end.abort();
    await quiet;
    await this.heart.stop();
  }

  private async untilIdle(): Promise<void> {
    while (this.runs.size > 0) await Promise.all(this.runs.values());
  }

  private claiming: Promise<void> = Promise.resolve();

  private async claimOnAndOn(): Promise<void> {
    for (let failures = 0; !this.isClosing();) {
      const limit = this.room();
      if (limit < 1) {
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      const begun = performance.now();
      const claim = this.claim(limit);
      this.claiming = claim.then(
        () => undefined,
        () => undefined,
      );
      try {
        const claimed = await claim;
        failures = 0;
        this.reached();
        // A server that stops answers at once, and with nothing.
        if (claimed === 0) await this.pause(IDLE_MS - (performance.now() - begun));
      } catch (error) {
        if (this.isClosing()) return;
        if (!isTemporary(error)) throw error;
        this.tell({ kind: "unreachable", error });
        await this.pause(retryDelayMs(failures++, { retryAfter: error.retryAfter }));
      }
    }
  }

  /** Takes up to `limit` tasks. One that is cut short is asked again by its key: what it took must not be forgotten. */
  private async claim(limit: number): Promise<number> {
    const { project_id, least_priority, waitSeconds = WAIT_SECONDS } = this.options;
    const request = {
      limit,
      project_id,
      client_event_id: randomUUID(),
      ...(least_priority === undefined ? {} : { filter: { least_priority } }),
    };
    const { signal } = this.closing;
    try {
      const { tasks } = await this.tasks.claim({ ...request, wait_seconds: waitSeconds }, { signal });
      this.take(tasks);
      return tasks.length;
    } catch (error) {
      if (!signal.aborted) throw error;
      const { tasks } = await this.tasks.claim(request, { signal: this.end.signal });
      this.take(tasks);
      return tasks.length;
    }
  }

  private take(claimed: readonly ClaimedTask<L>[]): void {
    if (claimed.length === 0) return;
    const { options, heart, moves } = this;
    const tell = (event: WorkerEvent<L>) => {
      this.tell(event);
    };
    const reached = () => {
      this.reached();
    };
    this.tell({ kind: "claimed", tasks: claimed.map(withoutLease<L>) });
    for (const task of claimed)
      this.waiting.push(new TaskRun({ options, moves, heart, tell, reached, end: this.end.signal }, task));
    this.fill();
  }

  private fill(): void {
    while (!this.isClosing() && this.runs.size < this.concurrency) {
      const run = this.waiting.shift();
      if (!run) break;
      const begun = performance.now();
      const carried = run.carryOut().then(() => {
        this.pace.note(performance.now() - begun);
        this.runs.delete(run);
        this.fill();
      });
      this.runs.set(run, carried);
    }
    this.wake();
  }

  /** How many more it would take now; not one by one while it has some at hand. */
  private room(): number {
    const ahead = this.options.ahead ?? this.pace.perSecond(this.concurrency);
    const wanted = this.concurrency + ahead - this.runs.size - this.waiting.length;
    if (this.waiting.length > ahead / 2) return 0;
    return Math.min(MOST_AT_ONCE - this.runs.size - this.waiting.length, wanted);
  }

  private isClosing(): boolean {
    return this.closing.signal.aborted;
  }

  private async pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, this.closing.signal).catch(() => undefined);
  }

  private reached(): void {
    if (this.reachable) return;
    this.reachable = true;
    this.tell({ kind: "reached" });
  }

  /** What a listener throws is his own affair. That a server is gone is told once, until it is back. */
  private tell(event: WorkerEvent<L>): void {
    if (event.kind === "unreachable") {
      if (!this.reachable) return;
      this.reachable = false;
    }
    try {
      this.options.onEvent?.(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

function checkDuration(name: string, ms: number | undefined): void {
  if (ms === undefined || (ms >= 0 && ms <= MAX_TIMER_DELAY_MS)) return;
  throw new RangeError(`${name} must be a number of milliseconds from 0 to ${MAX_TIMER_DELAY_MS}, not ${ms}`);
}

/** How long runs take of late. */
class Pace {
  private averageMs: number | null = null;

  note(ms: number): void {
    this.averageMs = this.averageMs === null ? ms : this.averageMs * 0.8 + ms * 0.2;
  }

  /** How many of them so many hands finish in a second. */
  perSecond(hands: number): number {
    if (this.averageMs === null || this.averageMs >= 1_000) return 0;
    return Math.min(MOST_AT_ONCE, Math.floor((hands * 1_000) / Math.max(1, this.averageMs)));
  }
}
