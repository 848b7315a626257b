import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { SomeLifecycle, Tasks } from "../client/index.ts";
import { connectionOf } from "../client/connection.ts";
import { retryDelayMs, sleep } from "../std/retry.ts";
import { tasksOf } from "../client/tasks.ts";
import { MAX_TIMER_DELAY_MS, timerDelay } from "../std/timer-delay.ts";
import { LeaseRenewer } from "./lease-renewer.ts";
import { MoveSender } from "./move-sender.ts";
import { inProcess, inThread } from "./renewal-host.ts";
import { isTemporary } from "./retry-call.ts";
import { TaskRun, withoutLease } from "./task-run.ts";
import type { ClaimedTask, RunningWorker, WorkerEvent, WorkerOptions } from "./worker-options.ts";

const MAX_CONCURRENCY = 1_000;
const WAIT_SECONDS = 30;
const GRACE_MS = 30_000;
const MAIN_THREAD_TIMEOUT_MS = 600_000;
/** Minimum interval between claims that return nothing. */
const MIN_IDLE_CLAIM_MS = 5_000;

const DURATIONS = [
  "timeoutMs",
  "graceMs",
  "abortGraceMs",
  "mainThreadTimeoutMs",
  "progressIntervalMs",
  "renewalIntervalMs",
] as const;

/**
 * Works on a lifecycle's pool until it is stopped: claims tasks, runs them under leases that it renews, and reports the results. Never finishes a task whose lease it has lost.
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
  private readonly renewer: LeaseRenewer;
  private readonly moves: MoveSender;
  private readonly waiting: TaskRun<L, Progress>[] = [];
  private readonly runs = new Map<TaskRun<L, Progress>, Promise<void>>();
  /** Aborts when claiming stops. */
  private readonly closing = new AbortController();
  /** Aborts when runs must end. */
  private readonly graceOver = new AbortController();
  /** Aborts when the worker no longer waits for anything. */
  private readonly end = new AbortController();
  private readonly throughput = new ThroughputEstimate();
  private wake: () => void = () => undefined;
  private reachable = true;
  private stopping: Promise<void> | undefined;

  constructor(options: WorkerOptions<L, Progress>) {
    const { client, lifecycle, concurrency = 1, mainThreadTimeoutMs = MAIN_THREAD_TIMEOUT_MS } = options;
    const { renewalIntervalMs = Infinity } = options;
    if (!Number.isSafeInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY)
      throw new RangeError(
        `concurrency must be a whole number from 1 to ${MAX_CONCURRENCY}, not ${JSON.stringify(concurrency)}`,
      );
    for (const name of DURATIONS) checkDuration(name, options[name]);
    const connection = connectionOf(client);
    // Every run adds a listener; Node reports more than ten as a leak.
    setMaxListeners(0, this.end.signal);
    this.options = options;
    this.concurrency = concurrency;
    this.tasks = tasksOf<L>(lifecycle.name, client);
    this.moves = new MoveSender(tasksOf(lifecycle.name, client), this.end.signal);
    if (!connection && !client.inProcess)
      throw new TypeError(
        "client must be made by createClient: a thread sends the heartbeats with its address and token",
      );
    for (const name of ["run", "failed"] as const)
      if (typeof options[name] !== "function")
        throw new TypeError(`${name} must be a function, not ${typeof options[name]}`);
    const times = { mainThreadTimeoutMs, renewalIntervalMs };
    const renewal = connection ? inThread(connection, times) : inProcess(client, times);
    this.renewer = new LeaseRenewer(renewal, times, (error) => {
      this.emit({ kind: "renewal_failed", error });
    });
    this.finished = this.claimLoop().then(
      () => this.stop(),
      async (error: unknown) => {
        await this.stop();
        throw error;
      },
    );
    // A caller that ignores `finished` must not get an unhandled rejection.
    this.finished.catch(() => undefined);
  }

  get running(): number {
    return this.runs.size;
  }

  stop(graceMs?: number): Promise<void> {
    // A second call shortens the grace period.
    if (this.stopping && graceMs !== undefined)
      setTimeout(() => {
        this.graceOver.abort();
      }, timerDelay(graceMs)).unref();
    return (this.stopping ??= this.shutDown(graceMs ?? this.options.graceMs ?? GRACE_MS));
  }

  private async shutDown(graceMs: number): Promise<void> {
    this.closing.abort();
    this.wake();
    // A claim in progress may have taken tasks, which must be released as well.
    const giveBack = async () => {
      await this.claiming;
      await Promise.all(this.waiting.splice(0).map((run) => run.giveBack()));
    };
    const quiet = Promise.all([giveBack(), this.untilIdle()]);
    await Promise.race([quiet, sleep(graceMs, this.graceOver.signal).catch(() => undefined)]);
    this.graceOver.abort();
    for (const run of this.runs.keys()) run.interrupt();
    // Twice the grace: once for runs to end, once for their reports, also if the server restarts.
    await Promise.race([
      quiet,
      sleep((this.options.abortGraceMs ?? 5_000) * 2, this.end.signal).catch(() => undefined),
    ]);
    this.end.abort();
    await quiet;
    await this.renewer.stop();
  }

  private async untilIdle(): Promise<void> {
    while (this.runs.size > 0) await Promise.all(this.runs.values());
  }

  private claiming: Promise<void> = Promise.resolve();

  private async claimLoop(): Promise<void> {
    for (let failures = 0; !this.isClosing();) {
      const limit = this.claimLimit();
      if (limit < 1) {
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      await this.options.beforeClaim?.(this.closing.signal);
      if (this.isClosing()) return;
      const startedAt = performance.now();
      const claim = this.claim(limit);
      this.claiming = claim.then(
        () => undefined,
        () => undefined,
      );
      try {
        const claimed = await claim;
        failures = 0;
        this.reached();
        // A server that is stopping answers at once with no tasks.
        if (claimed === 0) await this.pause(MIN_IDLE_CLAIM_MS - (performance.now() - startedAt));
      } catch (error) {
        if (this.isClosing()) return;
        if (!isTemporary(error)) throw error;
        this.emit({ kind: "unreachable", error });
        await this.pause(retryDelayMs(failures++, { retryAfter: error.retryAfter }));
      }
    }
  }

  /** Claims up to `limit` tasks. An aborted claim is repeated with its key, to learn which tasks it has taken. */
  private async claim(limit: number): Promise<number> {
    const { project_id, least_priority, fields, waitSeconds = WAIT_SECONDS } = this.options;
    const values = fields && Object.entries(fields).map(([field, wanted]) => [field, [...wanted]]);
    const filter = {
      ...(least_priority === undefined ? {} : { least_priority }),
      ...(values === undefined ? {} : { fields: Object.fromEntries(values) as Record<string, string[]> }),
    };
    const request = {
      limit,
      project_id,
      client_event_id: randomUUID(),
      ...(Object.keys(filter).length === 0 ? {} : { filter }),
    };
    const { signal } = this.closing;
    try {
      const { tasks } = await this.tasks.claim({ ...request, wait_seconds: waitSeconds }, { signal });
      this.enqueue(tasks);
      return tasks.length;
    } catch (error) {
      if (!signal.aborted) throw error;
      const { tasks } = await this.tasks.claim(request, { signal: this.end.signal });
      this.enqueue(tasks);
      return tasks.length;
    }
  }

  private enqueue(claimed: readonly ClaimedTask<L>[]): void {
    if (claimed.length === 0) return;
    const { options, renewer, moves } = this;
    const emit = (event: WorkerEvent<L>) => {
      this.emit(event);
    };
    const reached = () => {
      this.reached();
    };
    this.emit({ kind: "claimed", tasks: claimed.map(withoutLease<L>) });
    for (const task of claimed)
      this.waiting.push(new TaskRun({ options, moves, renewer, emit, reached, end: this.end.signal }, task));
    this.startRuns();
  }

  private startRuns(): void {
    while (!this.isClosing() && this.runs.size < this.concurrency) {
      const run = this.waiting.shift();
      if (!run) break;
      const startedAt = performance.now();
      const executed = run.execute().then(() => {
        this.throughput.record(performance.now() - startedAt);
        this.runs.delete(run);
        this.startRuns();
      });
      this.runs.set(run, executed);
    }
    this.wake();
  }

  /** Number of tasks to claim now; 0 while enough are waiting, so that tasks are not claimed one by one. */
  private claimLimit(): number {
    const prefetch = this.options.prefetch ?? this.throughput.perSecond(this.concurrency);
    const wanted = this.concurrency + prefetch - this.runs.size - this.waiting.length;
    if (this.waiting.length > prefetch / 2) return 0;
    return Math.min(MAX_CONCURRENCY - this.runs.size - this.waiting.length, wanted);
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
    this.emit({ kind: "reached" });
  }

  /** Reports "unreachable" once until the server is back. An error of a listener must not stop the worker. */
  private emit(event: WorkerEvent<L>): void {
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

/** Estimates how many tasks the worker finishes per second, from the duration of recent runs. */
class ThroughputEstimate {
  private averageMs: number | null = null;

  record(ms: number): void {
    this.averageMs = this.averageMs === null ? ms : this.averageMs * 0.8 + ms * 0.2;
  }

  perSecond(concurrency: number): number {
    if (this.averageMs === null || this.averageMs >= 1_000) return 0;
    return Math.min(MAX_CONCURRENCY, Math.floor((concurrency * 1_000) / Math.max(1, this.averageMs)));
  }
}
