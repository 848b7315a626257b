import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isRefusal, PawlError } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answerBy } from "../ask.ts";
import { checkDriver, checkShape, transactionFault } from "../check-transaction.ts";
import type { Commits } from "../commits.ts";
import { isConnectionLoss, isUnstorable, onClosing, unavailable, violationOf } from "../../postgres/index.ts";
import type { Sql } from "../../postgres/index.ts";
import { FreedTasks } from "./freed.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import type { EngineObserver } from "../observer.ts";
import { refusalOfData, refusalOfViolation } from "../refusals.ts";
import { hasSettings, transact } from "../transact.ts";
import type { Patience } from "../transact.ts";
import { SentWrites } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { bisect } from "./bisect.ts";
import { claimLocked } from "./claim.ts";
import { claimOptimistically } from "./claim-optimistic.ts";
import type { ClaimAttempt, ClaimCommand, Claimed } from "./claim.ts";
import { Again, Attempt, CommandQueue, Failed } from "./command-queue.ts";
import type { Outcome } from "./command-queue.ts";
import { createLocked, makeTasksIn } from "./create.ts";
import type { CreateAttempt, CreateCommand } from "./create.ts";
import type { CreatedTasks } from "./creations.ts";
import { DatabaseClock } from "./database-clock.ts";
import { KnownRows } from "./known-rows.ts";
import { KnownSettings } from "./known-settings.ts";
import { createOptimistically, performOptimistically } from "./optimistic.ts";
import type { Memory } from "./optimistic.ts";
import { performLocked } from "./perform.ts";
import type { PerformAttempt, PerformCommand, Performed } from "./perform.ts";
import { BUSY, RowsBusy } from "./rows-busy.ts";
import { UnitOfWork } from "./unit-of-work.ts";

type Command = PerformCommand | CreateCommand | ClaimCommand;
type Answer = Performed | CreatedTasks | Claimed | Refusal;
type Attempts = readonly Attempt<Command>[];
type Outcomes = (Outcome<Answer> | typeof BUSY)[];

/** A caller's own transaction, and where it is noted what came into pools by it. */
export type Within = { tx?: Tx | undefined; freed?: FreedTasks };

/**
 * The one way in which tasks change. Commands of an org that come together are carried out together: without locks where one
 * statement is all they need, otherwise in one transaction. One that fails never fails its neighbours.
 */
export class Writer {
  private readonly sql: Sql;
  private readonly patience: Patience;
  private readonly registry: LifecycleRegistry;
  private readonly commits: Commits;
  private readonly observer: EngineObserver | undefined;
  private readonly memory: Memory;
  private readonly queues = new Map<string, CommandQueue<Command, Answer>>();
  /** The last command of each caller's transaction; commands in one transaction run one after the other. */
  private readonly within = new Map<Tx, Promise<unknown>>();

  constructor(
    sql: Sql,
    patience: Patience,
    registry: LifecycleRegistry,
    commits: Commits,
    observer?: EngineObserver,
  ) {
    this.sql = sql;
    this.patience = patience;
    this.registry = registry;
    this.commits = commits;
    this.observer = observer;
    const [rows, settings, clock] = [new KnownRows(), new KnownSettings(), new DatabaseClock()];
    this.memory = { sql, registry, rows, settings, clock };
  }

  /** Carries out commands of one caller, and answers in their order. */
  run(org_id: string, commands: readonly PerformCommand[], within: Within): Promise<(Performed | Refusal)[]>;
  run(
    org_id: string,
    commands: readonly CreateCommand[],
    within: Within,
  ): Promise<(CreatedTasks | Refusal)[]>;
  run(org_id: string, commands: readonly ClaimCommand[], within: Within): Promise<(Claimed | Refusal)[]>;
  run(
    org_id: string,
    commands: readonly Command[],
    { tx, freed = new FreedTasks() }: Within,
  ): Promise<Answer[]> {
    if (tx !== undefined)
      return Promise.all(commands.map((command) => this.runWithin(tx, org_id, command, freed)));
    let queue = this.queues.get(org_id);
    if (!queue) {
      queue = new CommandQueue((attempts) => this.carryOut(org_id, attempts));
      this.queues.set(org_id, queue);
    }
    return queue.add(commands, hasSettings(this.sql, this.patience) ? "optimistic" : "locked");
  }

  /** A transaction for questions. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return transact(this.sql, this.patience, work);
  }

  /** Work of the engine's own on tasks of an org, in one transaction. */
  async unit<T>(org_id: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const freed = new FreedTasks();
    const done = await transact(this.sql, this.patience, (tx, writes) =>
      work(new UnitOfWork({ tx, writes, org_id, registry: this.registry, freed, makeTasksIn })),
    );
    this.commits.tell(org_id, "here", freed.list());
    return done;
  }

  /** Waits until everything that was asked for is answered. */
  async drain(): Promise<void> {
    while ([...this.queues.values()].some((queue) => !queue.isIdle)) await pause(1);
  }

  /** Carries out a batch, then notifies the observer and the listeners for commits. */
  private async carryOut(org_id: string, attempts: Attempts): Promise<Outcome<Answer>[]> {
    const begun = performance.now();
    const freed = new FreedTasks();
    const [first] = attempts as [Attempt<Command>];
    const outcomes =
      first.mode === "optimistic"
        ? await this.carryOutOptimistically(org_id, attempts, freed)
        : await this.carryOutLocked(org_id, attempts, freed);
    if (outcomes.some(isNews)) this.commits.tell(org_id, "here", freed.list());
    const answered = attempts.flatMap(({ command }, at) => {
      const outcome = outcomes[at];
      return outcome instanceof Again ? [] : [{ command, outcome }];
    });
    if (answered.length > 0)
      this.observer?.settled?.({ verb: first.command.verb, answered, ms: performance.now() - begun });
    return outcomes;
  }

  private async carryOutOptimistically(
    org_id: string,
    attempts: Attempts,
    freed: FreedTasks,
  ): Promise<Outcome<Answer>[]> {
    const [{ command }] = attempts as [Attempt<Command>];
    const { memory } = this;
    const batch = randomUUID();
    const done: Promise<Outcome<Answer>[]> =
      command.verb === "perform"
        ? performOptimistically(memory, org_id, attempts as readonly PerformAttempt[], freed)
        : command.verb === "create"
          ? createOptimistically(memory, org_id, attempts as readonly CreateAttempt[], freed)
          : claimOptimistically(memory, org_id, attempts as readonly ClaimAttempt[], batch);
    try {
      return await unlessLost(this.sql, this.patience, done);
    } catch (error) {
      // Whatever it was, nothing is written, unless it is the answer that was lost. Now it is done under locks.
      const isLost = isConnectionLoss(error) || isUnavailable(error);
      if (isLost) noteCut(attempts, batch);
      return attempts.map(() => new Again({ mode: "locked" }, isLost ? PAUSE_MS : 0));
    }
  }

  private carryOutLocked(org_id: string, attempts: Attempts, freed: FreedTasks): Promise<Outcome<Answer>[]> {
    const inOne = async (some: Attempts) => {
      const batch = randomUUID();
      const noted = new FreedTasks();
      const outcomes = await transact(
        this.sql,
        this.patience,
        (tx, writes) => this.carryOutIn({ tx, writes, org_id, freed: noted }, some, batch),
        () => {
          noteCut(some, batch);
        },
      );
      for (const one of noted.list()) freed.add(one);
      return outcomes.map((one, at) => (one === BUSY ? this.later(some[at] as Attempt<Command>) : one));
    };
    const tryAlone = async (
      attempt: Attempt<Command>,
      error: unknown,
      tries = MAX_TRIES,
    ): Promise<Outcome<Answer>> => {
      if (error instanceof RowsBusy) return this.later(attempt);
      if (violationOf(error) === null || tries === 0) return refusalOrFailure(error);
      // The conflicting command has committed by now and is visible to rules and keys; another one may conflict next.
      return inOne([attempt]).then(
        ([one]) => one as Outcome<Answer>,
        (next: unknown) => tryAlone(attempt, next, tries - 1),
      );
    };
    return bisect(attempts, inOne, tryAlone, (error) => !isUnavailable(error));
  }

  private async carryOutIn(
    place: { tx: Tx; writes: SentWrites; org_id: string; freed: FreedTasks },
    attempts: Attempts,
    batch: string,
  ): Promise<Outcomes> {
    const unit = new UnitOfWork({ ...place, registry: this.registry, makeTasksIn });
    const [{ command }] = attempts as [Attempt<Command>];
    if (command.verb === "perform") return performLocked(unit, attempts as readonly PerformAttempt[]);
    if (command.verb === "create") return createLocked(unit, attempts as readonly CreateAttempt[]);
    return claimLocked(unit, attempts as readonly ClaimAttempt[], batch);
  }

  /** Tries again when the row may be free; says so if that takes too long. */
  private later({ waits, busySince }: Attempt<Command>): Again | Failed {
    const now = performance.now();
    if (now - (busySince ?? now) > this.patience.patienceMs) return new Failed(unavailable(new RowsBusy()));
    return new Again({ busySince: busySince ?? now }, Math.min(2 ** waits, 100) * (0.5 + Math.random()));
  }

  /**
   * Carries out one command in a transaction of the caller's: after whatever else was begun in it, and behind a savepoint, so
   * that what the database refuses is a refusal and the rest of the transaction lives on.
   */
  private runWithin(tx: Tx, org_id: string, command: Command, freed: FreedTasks): Promise<Answer> {
    checkShape(tx);
    const before = this.within.get(tx) ?? Promise.resolve();
    const mine = before.then(() => this.settleWithin(tx, org_id, command, freed));
    const settled = mine
      .catch(() => undefined)
      .then(() => {
        if (this.within.get(tx) === settled) this.within.delete(tx);
      });
    this.within.set(tx, settled);
    return mine;
  }

  private async settleWithin(tx: Tx, org_id: string, command: Command, freed: FreedTasks): Promise<Answer> {
    const attempt = new Attempt<Command>(command, "locked");
    for (;;) {
      const outcome = await tx
        .savepoint(async (inner) => {
          await checkDriver(tx, inner);
          const writes = new SentWrites(inner);
          const [one] = await this.carryOutIn({ tx: inner, writes, org_id, freed }, [attempt], randomUUID());
          await writes.done();
          return { one };
        })
        .then(
          ({ one }) => one,
          (error: unknown) => {
            if (error instanceof RowsBusy) return BUSY;
            const fault = transactionFault(error);
            return fault ? new Failed(fault) : refusalOrFailure(error);
          },
        );
      const one = outcome === BUSY ? this.later(attempt) : outcome;
      if (one instanceof Failed) throw one.error;
      if (!(one instanceof Again)) return one as Answer;
      Object.assign(attempt, one.change);
      attempt.waits++;
      await pause(one.delayMs);
    }
  }
}

/** Whether a commit that was cut off went through is found out by the next try. */
function noteCut(attempts: Attempts, batch: string): void {
  for (const attempt of attempts)
    if (!attempt.uncertain.includes(batch)) attempt.uncertain = [...attempt.uncertain, batch];
}

/** How often a command is tried by itself after it has met a constraint. */
const MAX_TRIES = 2;

/** A connection that has failed takes statements until it is closed, and loses them. */
const PAUSE_MS = 10;

/** Time to wait for an answer after any connection was closed. */
const ANSWERED_WITHIN_MS = 250;

/** Waits for statements that are their own transactions, unless a connection was closed meanwhile and nothing is heard any more. */
async function unlessLost<T>(sql: Sql, { patienceMs }: Patience, work: Promise<T>): Promise<T> {
  let waiting: NodeJS.Timeout | undefined;
  let forget: () => void = () => undefined;
  const lost = new Promise<never>((_, reject) => {
    forget = onClosing(sql, () => {
      waiting ??= setTimeout(() => {
        reject(unavailable(new Error("the connection was closed")));
      }, ANSWERED_WITHIN_MS);
    });
  });
  try {
    return await answerBy(Date.now() + patienceMs, Promise.race([work, lost]));
  } finally {
    forget();
    clearTimeout(waiting);
    work.catch(() => undefined);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof PawlError && error.code === "UNAVAILABLE";
}

/** Constraint violations and unstorable values become refusals; other errors are failures. */
function refusalOrFailure(error: unknown): Refusal | Failed {
  const constraint = violationOf(error);
  if (constraint !== null) return refusalOfViolation(constraint);
  return isUnstorable(error) ? refusalOfData(error) : new Failed(error);
}

/** Whether an answer stands for something new in the journal. */
function isNews(answer: Outcome<Answer>): boolean {
  if (answer instanceof Again || answer instanceof Failed || isRefusal(answer) || answer.replayed)
    return false;
  return answer.kind === "performed" ? answer.outcome === "moved" : answer.tasks.length > 0;
}
