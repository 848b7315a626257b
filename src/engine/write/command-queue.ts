/** How a command is run: optimistically, on cached or freshly read rows, or with its rows locked. */
export type Mode = "optimistic" | "locked";

/** The part of a command that the queue reads. */
export type Queued = {
  /** Commands of the same group can share a batch. */
  readonly group: string;
  /** Commands that share a key run one after the other, in order of arrival. */
  readonly keys: readonly string[];
  /** Number of tasks. */
  readonly weight: number;
};

const NONE: readonly string[] = [];

/** A command with the state of its retries. */
export class Attempt<Command> {
  readonly command: Command;
  mode: Mode;
  /** Runs in a batch of its own. */
  alone = false;
  /** Batches whose connection was lost: they may have been committed. */
  uncertain: readonly string[];
  /** Number of delayed retries. */
  waits = 0;
  /** When it first found its row locked by another transaction. */
  busySince: number | null = null;

  constructor(command: Command, mode: Mode, uncertain = NONE) {
    this.command = command;
    this.mode = mode;
    this.uncertain = uncertain;
  }
}

/** The outcome of a command that must be retried, after the delay and with the given changes. */
export class Retry {
  readonly change: Partial<Pick<Attempt<never>, "mode" | "alone" | "busySince">>;
  readonly delayMs: number;

  constructor(change: Retry["change"], delayMs = 0) {
    this.change = change;
    this.delayMs = delayMs;
  }
}

/** The outcome of a command that failed; the other commands of its batch did not. */
export class CommandFailed {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

export type Outcome<Answer> = Answer | Retry | CommandFailed;

export function isAnswer<Answer>(outcome: Outcome<Answer>): outcome is Answer {
  return !(outcome instanceof Retry || outcome instanceof CommandFailed);
}

class Waiting<Command, Answer> extends Attempt<Command> {
  notBefore = 0;
  readonly call: Call<Answer>;
  /** The command's index in the call. */
  readonly index: number;

  constructor(command: Command, mode: Mode, uncertain: readonly string[], call: Call<Answer>, index: number) {
    super(command, mode, uncertain);
    this.call = call;
    this.index = index;
  }
}

/** The commands of one call, which returns when all are answered. */
class Call<Answer> {
  readonly answered: Promise<Answer[]>;
  private readonly answers: Answer[] = [];
  private unanswered: number;
  private resolve: (answers: Answer[]) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;

  constructor(commands: number) {
    this.unanswered = commands;
    this.answered = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    if (commands === 0) this.resolve(this.answers);
  }

  settle(index: number, answer: Answer | CommandFailed): void {
    if (answer instanceof CommandFailed) {
      this.reject(answer.error);
      return;
    }
    this.answers[index] = answer;
    if (--this.unanswered === 0) this.resolve(this.answers);
  }
}

type Run<Command, Answer> = (attempts: readonly Attempt<Command>[]) => Promise<readonly Outcome<Answer>[]>;

const MAX_BATCH_WEIGHT = 500;
const LANES = 2;
/** Below this weight per lane one lane takes everything, because each batch has a fixed cost. */
const MIN_LANE_WEIGHT = 16;

/**
 * Group commit for one org: while a batch runs, arriving commands collect into the next one. A single caller never waits; many
 * callers share a commit. With two lanes, one batch is decided while the other is in the database.
 */
export class CommandQueue<Command extends Queued, Answer> {
  private readonly run: Run<Command, Answer>;
  private queue: Waiting<Command, Answer>[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly busyKeys = new Set<string>();
  private isScheduled = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(run: Run<Command, Answer>) {
    this.run = run;
  }

  /**
   * Enqueues commands; returns their answers in order, or rejects with the first failure. `uncertain` are batches in which the
   * commands may have been committed.
   */
  add(commands: readonly Command[], mode: Mode, uncertain = NONE): Promise<Answer[]> {
    const call = new Call<Answer>(commands.length);
    for (let at = 0; at < commands.length; at++)
      this.queue.push(new Waiting(commands[at] as Command, mode, uncertain, call, at));
    this.schedule();
    return call.answered;
  }

  get isIdle(): boolean {
    return this.queue.length === 0 && this.running.size === 0 && !this.isScheduled;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    // Commands that arrive in the same turn of the event loop share a batch.
    queueMicrotask(() => {
      this.isScheduled = false;
      this.fillLanes();
    });
  }

  private fillLanes(): void {
    clearTimeout(this.timer);
    for (let idle = LANES - this.running.size; idle > 0; idle--) {
      const batch = this.takeBatch(idle);
      if (batch.length === 0) break;
      const lane = this.runBatch(batch).then(() => {
        this.running.delete(lane);
        for (const { command } of batch) for (const key of command.keys) this.busyKeys.delete(key);
        this.schedule();
      });
      this.running.add(lane);
    }
    let next = Infinity;
    for (const { notBefore } of this.queue) if (notBefore > 0 && notBefore < next) next = notBefore;
    if (next === Infinity) return;
    this.timer = setTimeout(
      () => {
        this.schedule();
      },
      Math.max(1, Math.ceil(next - performance.now())),
    );
  }

  /** Takes commands of one group and mode whose keys are used neither by a running command nor by an earlier waiting one. */
  private takeBatch(idleLanes: number): Waiting<Command, Answer>[] {
    const now = performance.now();
    const total = this.queue.reduce((sum, { command }) => sum + command.weight, 0);
    const share = total < MIN_LANE_WEIGHT * idleLanes ? total : Math.ceil(total / idleLanes);
    const limit = Math.min(MAX_BATCH_WEIGHT, share);
    const batch: Waiting<Command, Answer>[] = [];
    const skipped: Waiting<Command, Answer>[] = [];
    const skippedKeys = new Set<string>();
    let weight = 0;
    let seen = 0;
    while (seen < this.queue.length && weight < limit) {
      const waiting = this.queue[seen++] as Waiting<Command, Answer>;
      const { keys, weight: own } = waiting.command;
      const isTooMuch = weight > 0 && weight + own > limit;
      const isHeld = keys.some((key) => this.busyKeys.has(key) || skippedKeys.has(key));
      if (isTooMuch || isHeld || waiting.notBefore > now || !fits(waiting, batch[0])) {
        skipped.push(waiting);
        for (const key of keys) skippedKeys.add(key);
        continue;
      }
      batch.push(waiting);
      weight += own;
      for (const key of keys) this.busyKeys.add(key);
    }
    this.queue = skipped.concat(this.queue.slice(seen));
    return batch;
  }

  private async runBatch(batch: readonly Waiting<Command, Answer>[]): Promise<void> {
    const outcomes = await this.run(batch).catch((error: unknown) =>
      batch.map(() => new CommandFailed(error)),
    );
    const retries: Waiting<Command, Answer>[] = [];
    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index] as Outcome<Answer>;
      if (outcome instanceof Retry) retries.push(delayed(waiting, outcome));
      else waiting.call.settle(waiting.index, outcome);
    }
    // Retries stay ahead of later commands.
    if (retries.length > 0) this.queue.unshift(...retries);
  }
}

function fits<Command extends Queued>(one: Attempt<Command>, first: Attempt<Command> | undefined): boolean {
  if (first === undefined) return true;
  return one.mode === first.mode && one.command.group === first.command.group && !one.alone && !first.alone;
}

function delayed<Command, Answer>(
  waiting: Waiting<Command, Answer>,
  { change, delayMs }: Retry,
): Waiting<Command, Answer> {
  Object.assign(waiting, change);
  if (delayMs > 0) waiting.waits++;
  waiting.notBefore = delayMs > 0 ? performance.now() + delayMs : 0;
  return waiting;
}
