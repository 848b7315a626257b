import type {
  ActionOf,
  AnyClient,
  CallOptions,
  ClaimedOf,
  MovedOf,
  MoveOf,
  PawlProblem,
  SomeLifecycle,
  TaskOf,
} from "../client/index.ts";
import type { Failure } from "./failure.ts";

/** An action on the task at hand; the lease's token is added. */
export type Move<L extends SomeLifecycle = SomeLifecycle> = {
  [Action in ActionOf<L>]: { action: Action } & Omit<MoveOf<L, Action>, "lease_token">;
}[ActionOf<L>];

export type ClaimedTask<L extends SomeLifecycle = SomeLifecycle> = ClaimedOf<L>["tasks"][number];

/** What a run has at hand beside its task. */
export type Work<L extends SomeLifecycle = SomeLifecycle, Progress = unknown> = {
  /** Aborts the moment the lease is lost, and when the worker stops and its patience is over. The reason is a `RunEnded`. */
  readonly signal: AbortSignal;
  /** Of this claim: whoever speaks to the server himself must show it. */
  readonly leaseToken: string;
  /** The task as the last answer told it. */
  readonly task: () => TaskOf<L>;
  /**
   * Performs an action under this lease and gives what came of it: repeated until it is answered, once in its effect.
   * A refusal is thrown as a PawlProblem; LEASE_LOST also aborts the signal.
   */
  readonly act: <const Action extends ActionOf<L>>(
    action: Action,
    more?: Omit<MoveOf<L, Action>, "lease_token">,
    options?: CallOptions,
  ) => Promise<MovedOf<L>>;
  /** Hands on how far it is: now and then, the latest only, and never a reason to fail. */
  readonly progress: (progress: Progress) => void;
};

/** Why a run's signal was aborted. */
export class RunEnded extends Error {
  override readonly name = "RunEnded";
  /** "lease": the task is, or may be, somebody else's. "stop": the worker stops. "time": it took longer than `timeoutMs`. */
  readonly why: "lease" | "stop" | "time";

  constructor(why: RunEnded["why"], message: string) {
    super(message);
    this.why = why;
  }
}

/** What a worker tells of what it does, for logs and views. */
export type WorkerEvent<L extends SomeLifecycle = SomeLifecycle> =
  | { kind: "claimed"; tasks: readonly TaskOf<L>[] }
  | { kind: "started"; task: TaskOf<L> }
  /** Reported; `moved` is null where the run had made its last move itself. */
  | { kind: "finished"; task: TaskOf<L>; moved: MovedOf<L> | null }
  /** The run threw; `task` is what became of it, where the server could be told. */
  | { kind: "failed"; task: TaskOf<L>; failure: Failure }
  /** Given back, no attempt counted. */
  | { kind: "released"; task: TaskOf<L> }
  /** Its lease is over: nothing more is said of it. */
  | { kind: "lost"; task: TaskOf<L>; why: string }
  /** What was reported is refused: the task is left to its lease. */
  | { kind: "refused"; task: TaskOf<L>; problem: PawlProblem }
  /** Renewing the leases failed; it is retried until they expire. Reported again when the error changes. */
  | { kind: "renewal_failed"; error: Error }
  | { kind: "unreachable"; error: unknown }
  | { kind: "reached" };

export type WorkerOptions<L extends SomeLifecycle = SomeLifecycle, Progress = unknown> = {
  /** Made by `createClient`. Heartbeats go to the same place by themselves, from a thread of their own. */
  client: AnyClient;
  /** Whose pool is worked on: a definition, which types all the rest, or `{ name }`. */
  lifecycle: L;
  /** How many runs at once; 1 unless given. */
  concurrency?: number | undefined;
  /**
   * Does the work of one task and gives the move that ends it (`{ action: "complete", payload }`), or nothing where it has
   * made that move by `act`. What it throws is a failure; `RetryLater` and `GiveUp` say which kind.
   */
  run: (task: ClaimedTask<L>, work: Work<L, Progress>) => Promise<Move<L> | undefined>;
  /** The move, or moves, by which a failure is reported. Nothing: the task is left to its lease. */
  failed: (failure: Failure, task: TaskOf<L>) => Move<L> | readonly Move<L>[] | null;
  /** The moves that give a task back unspent when the worker stops; `release` unless given. Nothing: left to its lease. */
  release?: ((task: TaskOf<L>) => readonly Move<L>[]) | undefined;
  /** What an error means, for those that the worker does not know. */
  classify?: ((error: unknown) => Failure) | undefined;
  /** Where `progress` goes, at most every `progressEveryMs`. */
  tellProgress?: ((progress: Progress, task: TaskOf<L>, leaseToken: string) => Promise<unknown>) | undefined;
  progressEveryMs?: number | undefined;
  project_id?: string | undefined;
  least_priority?: number | undefined;
  /**
   * How many tasks are claimed beyond those that run. Unless given: as many as this worker finishes in a second, so that
   * short tasks never wait for the network and long ones are left to others.
   */
  ahead?: number | undefined;
  /** A run that takes longer is aborted and counts as a failure that may be tried again; no limit unless given. */
  timeoutMs?: number | undefined;
  /** How long a claim waits for tasks; 30 unless given. */
  waitSeconds?: number | undefined;
  /** How long `stop` lets runs go on before it aborts them; 30 s unless given. */
  graceMs?: number | undefined;
  /** How long an aborted run has to come to its end; 5 s unless given. */
  unwindMs?: number | undefined;
  /** A process that is too busy to say anything for so long is taken for dead, and its leases run out; 10 min unless given. */
  silenceMs?: number | undefined;
  onEvent?: ((event: WorkerEvent<L>) => void) | undefined;
};

export type RunningWorker = {
  /** Claims no more, gives back what has not begun, lets runs finish for `graceMs`, then aborts and releases them. Called again, it can have less patience. */
  stop: (options?: { graceMs?: number }) => Promise<void>;
  /** Resolves when it has stopped; rejects with what makes it useless to go on: a token that is not taken, an unknown lifecycle. */
  readonly finished: Promise<void>;
  /** How many runs there are now. */
  readonly running: number;
};
