import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isRefusal } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answerBy } from "../query-outside-transaction.ts";
import {
  AdaptedTransaction,
  callerTransaction,
  StatementDescriber,
  transactionFault,
} from "../caller-transaction.ts";
import type { CallerTransaction, PostgresTransaction } from "../caller-transaction.ts";
import type { Commits } from "../commits.ts";
import { OpenTransactions } from "../open-transactions.ts";
import {
  isConnectionLoss,
  isUnavailable,
  isUnstorable,
  onClosing,
  sideClient,
  unavailable,
  violationOf,
} from "../../postgres/index.ts";
import type { Sql } from "../../postgres/index.ts";
import { PoolArrivals } from "./pool-arrivals.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import type { EngineObserver } from "../observer.ts";
import { refusalOfData, refusalOfViolation } from "../refusals.ts";
import { hasSettings, transact } from "../transact.ts";
import type { Timeouts } from "../transact.ts";
import { EngineTransaction, SentWrites } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { checkTransaction } from "../sql/transaction-status.ts";
import { bisect } from "./bisect.ts";
import { claimLocked } from "./claim.ts";
import { claimOptimistically } from "./claim-optimistic.ts";
import type { ClaimAttempt, ClaimCommand, Claimed } from "./claim.ts";
import { Retry, Attempt, CommandQueue, CommandFailed, isAnswer } from "./command-queue.ts";
import type { Mode, Outcome } from "./command-queue.ts";
import { createLocked, makeTasksIn } from "./create.ts";
import type { CreateAttempt, CreateCommand } from "./create.ts";
import type { CreatedTasks } from "./creations.ts";
import { DatabaseClock } from "./database-clock.ts";
import { RowCache } from "./row-cache.ts";
import { SettingsCache } from "./settings-cache.ts";
import { createOptimistically, performOptimistically } from "./optimistic.ts";
import type { NodeCache } from "./optimistic.ts";
import { performLocked } from "./perform.ts";
import type { PerformAttempt, PerformCommand, Performed } from "./perform.ts";
import { performTogether, single, together } from "./perform-many.ts";
import type { ManyCommand, ManyPerformed } from "./perform-many.ts";
import { BatchStatements } from "./batch-statements.ts";
import { BUSY, RowsBusy } from "./rows-busy.ts";
import { UnitOfWork } from "./unit-of-work.ts";

type Single = PerformCommand | CreateCommand | ClaimCommand;
type Command = Single | ManyCommand;
type Answer = Performed | CreatedTasks | Claimed | ManyPerformed | Refusal;
type Attempts = readonly Attempt<Command>[];
type Outcomes = (Outcome<Answer> | typeof BUSY)[];

/** A transaction of the caller: from an adapter, of postgres.js, or one that the engine began. */
export type OpenTransaction = CallerTransaction | PostgresTransaction | Tx;

/** The caller's own transaction, and a collector for the tasks that enter pools in it. */
export type Within = { tx?: OpenTransaction | undefined; arrivals?: PoolArrivals };

/**
 * The only way in which tasks change. Commands of an org that arrive together run as a batch: without locks if one statement is
 * enough, otherwise in one transaction. A failing command never fails the others of its batch.
 */
export class Writer {
  private readonly sql: Sql;
  private readonly timeouts: Timeouts;
  private readonly registry: LifecycleRegistry;
  private readonly commits: Commits;
  private readonly observer: EngineObserver | undefined;
  private readonly cache: NodeCache;
  private readonly queues = new Map<string, CommandQueue<Command, Answer>>();
  /** The last command of each caller's transaction; commands in one transaction run one after the other. */
  private readonly within = new Map<object, Promise<unknown>>();
  private readonly describer: StatementDescriber;
  private readonly openTransactions: OpenTransactions;

  constructor(
    sql: Sql,
    timeouts: Timeouts,
    registry: LifecycleRegistry,
    commits: Commits,
    observer?: EngineObserver,
  ) {
    this.sql = sql;
    this.timeouts = timeouts;
    this.registry = registry;
    this.commits = commits;
    this.observer = observer;
    const [rows, settings, clock] = [new RowCache(), new SettingsCache(), new DatabaseClock()];
    this.cache = { sql, registry, rows, settings, clock };
    this.describer = new StatementDescriber(() => sideClient(sql));
    this.openTransactions = new OpenTransactions(() => sideClient(sql), commits);
  }

  /** Runs the commands of one call; returns the answers in their order. */
  run(org_id: string, commands: readonly PerformCommand[], within: Within): Promise<(Performed | Refusal)[]>;
  run(
    org_id: string,
    commands: readonly CreateCommand[],
    within: Within,
  ): Promise<(CreatedTasks | Refusal)[]>;
  run(org_id: string, commands: readonly ClaimCommand[], within: Within): Promise<(Claimed | Refusal)[]>;
  run(
    org_id: string,
    commands: readonly Single[],
    { tx, arrivals = new PoolArrivals() }: Within,
  ): Promise<Answer[]> {
    if (tx !== undefined)
      return Promise.all(
        commands.map((command) => this.runInCallerTransaction(tx, org_id, command, arrivals)),
      );
    return this.queueOf(org_id).add(commands, this.firstMode());
  }

  /** Runs the commands of one call, together where one statement can carry them out; returns the answers in their order. */
  async runCall(
    org_id: string,
    commands: readonly PerformCommand[],
    within: Within,
  ): Promise<(Performed | Refusal)[]> {
    if (within.tx !== undefined || this.firstMode() === "locked")
      return this.run(org_id, commands.map(single), within);
    const queue = this.queueOf(org_id);
    const groups = together(commands);
    const answers: (Performed | Refusal | null)[] = commands.map(() => null);
    const sent = (await queue.add(groups, "optimistic")) as ManyPerformed[];
    for (const [group, { positions }] of groups.entries())
      for (const [index, at] of positions.entries()) answers[at] = sent[group]?.answers[index] ?? null;
    const left = [...commands.keys()].filter((at) => answers[at] === null);
    const uncertain = sent.flatMap((one) => one.uncertain);
    const others = await queue.add(
      left.map((at) => single(commands[at] as PerformCommand)),
      "locked",
      uncertain,
    );
    for (const [index, at] of left.entries()) answers[at] = others[index] as Performed | Refusal;
    return answers as (Performed | Refusal)[];
  }

  private queueOf(org_id: string): CommandQueue<Command, Answer> {
    let queue = this.queues.get(org_id);
    if (!queue) {
      queue = new CommandQueue((attempts) => this.runBatch(org_id, attempts));
      this.queues.set(org_id, queue);
    }
    return queue;
  }

  private firstMode(): Mode {
    return hasSettings(this.sql, this.timeouts) ? "optimistic" : "locked";
  }

  /** Runs a read-only transaction. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return transact(this.sql, this.timeouts, work);
  }

  /** Runs the engine's own work on tasks of an org in one transaction. */
  async unit<T>(org_id: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const arrivals = new PoolArrivals();
    const done = await transact(this.sql, this.timeouts, (tx, writes) =>
      work(new UnitOfWork({ tx, writes, org_id, registry: this.registry, arrivals, makeTasksIn })),
    );
    this.commits.notify(org_id, "here", arrivals.list());
    return done;
  }

  /** Waits until all commands are answered, and stops waiting for the commits of callers' transactions. */
  async drain(): Promise<void> {
    while ([...this.queues.values()].some((queue) => !queue.isIdle)) await pause(1);
    this.openTransactions.stop();
  }

  /** Runs a batch, then notifies the listeners for commits and the observer. */
  private async runBatch(org_id: string, attempts: Attempts): Promise<Outcome<Answer>[]> {
    const begun = performance.now();
    const arrivals = new PoolArrivals();
    const [first] = attempts as [Attempt<Command>];
    const outcomes =
      first.mode === "optimistic"
        ? await this.runOptimistic(org_id, attempts, arrivals)
        : await this.runLocked(org_id, attempts, arrivals);
    if (outcomes.some(addsEvents)) this.commits.notify(org_id, "here", arrivals.list());
    if (this.observer?.settled) {
      const answered = attempts.flatMap(({ command }, at) => answeredBy(command, outcomes[at]));
      const { verb } = first.command;
      const ms = performance.now() - begun;
      if (answered.length > 0)
        this.observer.settled({ verb: verb === "performMany" ? "perform" : verb, answered, ms });
    }
    return outcomes;
  }

  private async runOptimistic(
    org_id: string,
    attempts: Attempts,
    arrivals: PoolArrivals,
  ): Promise<Outcome<Answer>[]> {
    const [{ command }] = attempts as [Attempt<Command>];
    const statements = new BatchStatements(this.sql);
    const cache = { ...this.cache, sql: statements };
    const batch = randomUUID();
    const done: Promise<Outcome<Answer>[]> =
      command.verb === "performMany"
        ? performTogether(cache, org_id, attempts.map(manyCommandOf), arrivals)
        : command.verb === "perform"
          ? performOptimistically(cache, org_id, attempts.map(performCommandOf), arrivals)
          : command.verb === "create"
            ? createOptimistically(cache, org_id, attempts as readonly CreateAttempt[], arrivals)
            : claimOptimistically(cache, org_id, attempts as readonly ClaimAttempt[], batch);
    try {
      return await unlessLost(this.sql, this.timeouts, done);
    } catch (error) {
      statements.stop();
      // After any error nothing is written, unless only the answer was lost. Retry with locks.
      const isLost = isConnectionLoss(error) || isUnavailable(error);
      if (command.verb === "performMany") {
        const none: ManyPerformed = { kind: "performedMany", answers: [], uncertain: isLost ? [batch] : [] };
        return attempts.map(() => none);
      }
      if (isLost) markUncertain(attempts, batch);
      return attempts.map(() => new Retry({ mode: "locked" }, isLost ? RECONNECT_DELAY_MS : 0));
    }
  }

  private runLocked(org_id: string, attempts: Attempts, arrivals: PoolArrivals): Promise<Outcome<Answer>[]> {
    const runTogether = async (some: Attempts) => {
      const batch = randomUUID();
      const entered = new PoolArrivals();
      const outcomes = await transact(
        this.sql,
        this.timeouts,
        (tx, writes) => this.runInUnit({ tx, writes, org_id, arrivals: entered }, some, batch),
        () => {
          markUncertain(some, batch);
        },
      );
      for (const arrival of entered.list()) arrivals.add(arrival);
      return outcomes.map((one, at) => (one === BUSY ? this.later(some[at] as Attempt<Command>) : one));
    };
    const tryAlone = async (
      attempt: Attempt<Command>,
      error: unknown,
      tries = MAX_CONFLICT_RETRIES,
    ): Promise<Outcome<Answer>> => {
      if (error instanceof RowsBusy) return this.later(attempt);
      if (violationOf(error) === null || tries === 0) return refusalOrFailure(error);
      // The conflicting command has committed by now and is visible to rules and keys; another one may conflict next.
      return runTogether([attempt]).then(
        ([one]) => one as Outcome<Answer>,
        (next: unknown) => tryAlone(attempt, next, tries - 1),
      );
    };
    return bisect(attempts, runTogether, tryAlone, (error) => !isUnavailable(error));
  }

  private async runInUnit(
    options: { tx: Tx; writes: SentWrites; org_id: string; arrivals: PoolArrivals },
    attempts: Attempts,
    batch: string,
  ): Promise<Outcomes> {
    const unit = new UnitOfWork({ ...options, registry: this.registry, makeTasksIn });
    const [{ command }] = attempts as [Attempt<Command>];
    if (command.verb === "perform") return performLocked(unit, attempts as readonly PerformAttempt[]);
    if (command.verb === "create") return createLocked(unit, attempts as readonly CreateAttempt[]);
    // Commands of calls are optimistic only: those that need locks follow as single commands.
    return claimLocked(unit, attempts as readonly ClaimAttempt[], batch);
  }

  /** Retries a command whose row is locked, with backoff; fails after `retryTimeoutMs`. */
  private later({ waits, busySince }: Attempt<Command>): Retry | CommandFailed {
    const now = performance.now();
    if (now - (busySince ?? now) > this.timeouts.retryTimeoutMs)
      return new CommandFailed(unavailable(new RowsBusy()));
    return new Retry({ busySince: busySince ?? now }, Math.min(2 ** waits, 100) * (0.5 + Math.random()));
  }

  /**
   * Runs one command in the caller's transaction, after the commands started before it. A savepoint turns a database error into a
   * refusal and keeps the rest of the transaction alive.
   */
  private runInCallerTransaction(
    given: OpenTransaction,
    org_id: string,
    command: Command,
    arrivals: PoolArrivals,
  ): Promise<Answer> {
    const [identity, tx] = this.adapt(given);
    const before = this.within.get(identity) ?? Promise.resolve();
    const mine = before.then(() => this.runBehindSavepoint(tx, org_id, command, arrivals));
    const ended = mine
      .catch(() => undefined)
      .then(() => {
        if (this.within.get(identity) === ended) this.within.delete(identity);
      });
    this.within.set(identity, ended);
    return mine;
  }

  /** Returns the object that identifies a transaction, and the transaction in the form in which the engine uses it. */
  private adapt(given: OpenTransaction): [identity: object, tx: Tx] {
    if (given instanceof EngineTransaction) return [given, given];
    const caller = callerTransaction(given);
    return [caller.transaction, new AdaptedTransaction(caller, this.describer)];
  }

  private async runBehindSavepoint(
    tx: Tx,
    org_id: string,
    command: Command,
    arrivals: PoolArrivals,
  ): Promise<Answer> {
    const attempt = new Attempt<Command>(command, "locked");
    for (;;) {
      const outcome = await tx
        .savepoint(async () => {
          const transaction_id = tx instanceof AdaptedTransaction ? await checkTransaction(tx) : null;
          const writes = new SentWrites(tx);
          const [one] = await this.runInUnit({ tx, writes, org_id, arrivals }, [attempt], randomUUID());
          await writes.done();
          if (transaction_id !== null && one !== undefined && one !== BUSY && addsEvents(one))
            this.openTransactions.watch(transaction_id, org_id, arrivals.list());
          return one;
        })
        .catch((error: unknown) => {
          if (error instanceof RowsBusy) return BUSY;
          const fault = transactionFault(error);
          return fault ? new CommandFailed(fault) : refusalOrFailure(error);
        });
      const one = outcome === BUSY ? this.later(attempt) : outcome;
      if (one instanceof CommandFailed) throw one.error;
      if (!(one instanceof Retry)) return one as Answer;
      Object.assign(attempt, one.change);
      attempt.waits++;
      await pause(one.delayMs);
    }
  }
}

function manyCommandOf({ command }: Attempt<Command>): ManyCommand {
  return command as ManyCommand;
}

function performCommandOf({ command }: Attempt<Command>): PerformCommand {
  return command as PerformCommand;
}

/** Lists the commands that a batch has answered, for the metrics. */
function answeredBy(command: Command, outcome: Outcome<Answer> | undefined) {
  if (outcome === undefined || outcome instanceof Retry) return [];
  if (command.verb !== "performMany" || !("answers" in outcome)) return [{ command, outcome }];
  const { answers } = outcome;
  return command.commands.flatMap((one, at) => (answers[at] ? [{ command: one, outcome: answers[at] }] : []));
}

/** Records that a batch may have been committed although its connection was lost; the next attempt finds out. */
function markUncertain(attempts: Attempts, batch: string): void {
  for (const attempt of attempts)
    if (!attempt.uncertain.includes(batch)) attempt.uncertain = [...attempt.uncertain, batch];
}

/** How often a command that violated a constraint is retried alone. */
const MAX_CONFLICT_RETRIES = 2;

/** Delay before a retry: a failed connection accepts statements until it is closed, and loses them. */
const RECONNECT_DELAY_MS = 10;

/** Time to wait for an answer after any connection was closed. */
const LOST_ANSWER_TIMEOUT_MS = 250;

/** Waits for statements outside a transaction; fails if a connection was closed meanwhile and no answer arrives. */
async function unlessLost<T>(
  sql: Sql,
  { retryTimeoutMs: retryTimeoutMs }: Timeouts,
  work: Promise<T>,
): Promise<T> {
  let waiting: NodeJS.Timeout | undefined;
  let forget: () => void = () => undefined;
  const lost = new Promise<never>((_, reject) => {
    forget = onClosing(sql, () => {
      waiting ??= setTimeout(() => {
        reject(unavailable(new Error("the connection was closed")));
      }, LOST_ANSWER_TIMEOUT_MS);
    });
  });
  try {
    return await answerBy(Date.now() + retryTimeoutMs, Promise.race([work, lost]));
  } finally {
    forget();
    clearTimeout(waiting);
    work.catch(() => undefined);
  }
}

/** Constraint violations and unstorable values become refusals; other errors are failures. */
function refusalOrFailure(error: unknown): Refusal | CommandFailed {
  const constraint = violationOf(error);
  if (constraint !== null) return refusalOfViolation(constraint);
  return isUnstorable(error) ? refusalOfData(error) : new CommandFailed(error);
}

/** Whether a command added journal rows. */
function addsEvents(answer: Outcome<Answer>): boolean {
  if (!isAnswer(answer) || isRefusal(answer)) return false;
  if (answer.kind === "performedMany") return answer.answers.some((one) => one !== null && addsEvents(one));
  if (answer.replayed) return false;
  return answer.kind === "performed" ? answer.outcome === "moved" : answer.tasks.length > 0;
}
