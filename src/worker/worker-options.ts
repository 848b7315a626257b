import type { ROUTES } from "../api/index.ts";
import type {
  ActionOf,
  Calls,
  CallOptions,
  ClaimedOf,
  MovedOf,
  MoveOf,
  PawlProblem,
  SomeLifecycle,
  TaskOf,
} from "../client/index.ts";
import type { TaskCalls } from "../client/tasks.ts";
import type { Failure } from "./failure.ts";

/** The calls that a worker makes: those of `createClient`, or of the engine in the same process. */
export type WorkerClient = TaskCalls &
  Pick<Calls<typeof ROUTES>, "beatLeases"> & {
    /** Calls the engine in the same process, so heartbeats need no thread of their own. */
    readonly inProcess?: true;
  };

/** An action on the current task; the worker adds the lease token. */
export type Move<L extends SomeLifecycle = SomeLifecycle> = {
  [Action in ActionOf<L>]: { action: Action } & Omit<MoveOf<L, Action>, "lease_token">;
}[ActionOf<L>];

export type ClaimedTask<L extends SomeLifecycle = SomeLifecycle> = ClaimedOf<L>["tasks"][number];

/** Passed to a run together with its task. */
export type Work<L extends SomeLifecycle = SomeLifecycle, Progress = unknown> = {
  /** Aborts when the lease is lost, when `timeoutMs` is over, or when the worker stops and `graceMs` is over. The reason is a `RunEnded`. */
  readonly signal: AbortSignal;
  /** The lease token of this claim, for requests that the run sends itself. */
  readonly leaseToken: string;
  /** The task as of the server's last reply. */
  readonly task: () => TaskOf<L>;
  /**
   * Performs an action under this lease. The request is repeated until the server answers, and takes effect once. A refusal
   * is thrown as a PawlProblem; LEASE_LOST also aborts the signal.
   */
  readonly act: <const Action extends ActionOf<L>>(
    action: Action,
    more?: Omit<MoveOf<L, Action>, "lease_token">,
    options?: CallOptions,
  ) => Promise<MovedOf<L>>;
  /** Reports progress: only the latest value is sent, at intervals, and a failure to send it is ignored. */
  readonly progress: (progress: Progress) => void;
};

/** Why a run's signal was aborted. */
export class RunEnded extends Error {
  override readonly name = "RunEnded";
  /** "lease": another worker has, or may have, the task. "stop": the worker stops. "time": the run took longer than `timeoutMs`. */
  readonly why: "lease" | "stop" | "time";

  constructor(why: RunEnded["why"], message: string) {
    super(message);
    this.why = why;
  }
}

/** An event of a worker, for logs and views. */
export type WorkerEvent<L extends SomeLifecycle = SomeLifecycle> =
  | { kind: "claimed"; tasks: readonly TaskOf<L>[] }
  | { kind: "started"; task: TaskOf<L> }
  /** The result was reported; `moved` is null if the run made its last move itself. */
  | { kind: "finished"; task: TaskOf<L>; moved: MovedOf<L> | null }
  /** The run threw; `task` is its state after the failure was reported. */
  | { kind: "failed"; task: TaskOf<L>; failure: Failure }
  /** The task was released; no attempt is counted. */
  | { kind: "released"; task: TaskOf<L> }
  /** The lease has ended; nothing more is reported for the task. */
  | { kind: "lost"; task: TaskOf<L>; why: string }
  /** The report was refused; the task stays claimed until its lease expires. */
  | { kind: "refused"; task: TaskOf<L>; problem: PawlProblem }
  /** Renewing the leases failed; it is retried until they expire. Reported again when the error changes. */
  | { kind: "renewal_failed"; error: Error }
  | { kind: "unreachable"; error: unknown }
  | { kind: "reached" };

export type WorkerOptions<L extends SomeLifecycle = SomeLifecycle, Progress = unknown> = {
  /** A client from `createClient`, whose heartbeats a separate thread sends; or `pawl.client(caller)`, without HTTP. */
  client: WorkerClient;
  /** The lifecycle to claim from: a definition, which types the other options, or `{ name }`. */
  lifecycle: L;
  /** Maximum number of concurrent runs; default 1. */
  concurrency?: number | undefined;
  /**
   * Does the work of one task and returns the move that ends it (`{ action: "complete", payload }`), or nothing if it has
   * made that move by `act`. An error is a failure; throw `RetryLater` or `GiveUp` to choose its kind.
   */
  run: (task: ClaimedTask<L>, work: Work<L, Progress>) => Promise<Move<L> | undefined>;
  /** Returns the moves that report a failure; null leaves the task claimed until its lease expires. */
  failed: (failure: Failure, task: TaskOf<L>) => Move<L> | readonly Move<L>[] | null;
  /** Returns the moves that give a task back when the worker stops; default `release`. Without moves the lease must expire. */
  release?: ((task: TaskOf<L>) => readonly Move<L>[]) | undefined;
  /** Classifies errors of a run; default `classify`. */
  classify?: ((error: unknown) => Failure) | undefined;
  /** Sends a value of `progress`; called at most once per `progressIntervalMs` (default 2 s). */
  sendProgress?: ((progress: Progress, task: TaskOf<L>, leaseToken: string) => Promise<unknown>) | undefined;
  progressIntervalMs?: number | undefined;
  project_id?: string | undefined;
  least_priority?: number | undefined;
  /** Claims only tasks whose field has one of these values, or none. The lifecycle's pool declares the field. */
  fields?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Awaited before each claim: waits while no task should be claimed. The signal aborts when the worker stops. */
  beforeClaim?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Number of tasks claimed in advance, beyond those that run. Default: as many as this worker finishes in a second, so
   * that short tasks never wait for the network and long ones stay available to other workers.
   */
  prefetch?: number | undefined;
  /** A longer run is aborted and counts as a retryable failure; default no limit. */
  timeoutMs?: number | undefined;
  /** How long a claim waits for tasks; default 30. */
  waitSeconds?: number | undefined;
  /** How long `stop` waits for runs before it aborts them; default 30 s. */
  graceMs?: number | undefined;
  /** How long an aborted run may take to end; default 5 s. */
  abortGraceMs?: number | undefined;
  /** Maximum time between renewals of a lease; default a third of the lease. A run learns of a lost lease at the next renewal. */
  renewalIntervalMs?: number | undefined;
  /** If a run blocks the main thread for this long, its leases are no longer renewed; default 10 min. */
  mainThreadTimeoutMs?: number | undefined;
  onEvent?: ((event: WorkerEvent<L>) => void) | undefined;
};

export type RunningWorker = {
  /**
   * Stops claiming, releases tasks that have not started, lets runs finish for `graceMs`, then aborts and releases them. A
   * second call can shorten `graceMs`.
   */
  stop: (options?: { graceMs?: number }) => Promise<void>;
  /** Resolves when the worker has stopped; rejects with an error that makes claiming impossible, such as an invalid token. */
  readonly finished: Promise<void>;
  /** Number of current runs. */
  readonly running: number;
};
