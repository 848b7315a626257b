/** How a command is carried out: on rows as they were last seen, or under their locks. */
export type Mode = "optimistic" | "locked";

/** The part of a command that the queue reads. */
export type Queued = {
  /** Commands of one group may be carried out together. */
  readonly group: string;
  /** Two commands that share a key are never under way at once, and go in the order of their arrival. */
  readonly keys: readonly string[];
  /** Work, counted in tasks. */
  readonly weight: number;
};

/** A command on its way to an answer. */
export class Attempt<Command> {
  readonly command: Command;
  mode: Mode;
  /** Goes without others of its group. */
  alone = false;
  /** The batches with which a connection was lost, perhaps after their commit. */
  uncertain: readonly string[] = NONE;
  /** How often it found a row that somebody else had locked, and since when. */
  waits = 0;
  busySince: number | null = null;

  constructor(command: Command, mode: Mode) {
    this.command = command;
    this.mode = mode;
  }
}

const NONE: readonly string[] = [];

/** Not answered yet: the command is tried again, after the delay. */
export class Again {
  readonly change: Partial<Pick<Attempt<never>, "mode" | "alone" | "busySince">>;
  readonly delayMs: number;

  constructor(change: Again["change"], delayMs = 0) {
    this.change = change;
    this.delayMs = delayMs;
  }
}

/** A command that failed alone: its neighbours did not. */
export class Failed {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

export type Outcome<Answer> = Answer | Again | Failed;

class Waiting<Command, Answer> extends Attempt<Command> {
  notBefore = 0;
  readonly call: Call<Answer>;
  /** The command's place in the call. */
  readonly place: number;

  constructor(command: Command, mode: Mode, call: Call<Answer>, place: number) {
    super(command, mode);
    this.call = call;
    this.place = place;
  }
}

/** Commands of one caller, who waits for all answers. */
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

  settle(place: number, answer: Answer | Failed): void {
    if (answer instanceof Failed) {
      this.reject(answer.error);
      return;
    }
    this.answers[place] = answer;
    if (--this.unanswered === 0) this.resolve(this.answers);
  }
}

type Run<Command, Answer> = (attempts: readonly Attempt<Command>[]) => Promise<readonly Outcome<Answer>[]>;

const MAX_BATCH_WEIGHT = 500;
const LANES = 2;
/** With less work than this for each lane, one takes all: a batch costs by itself as much as some of its commands. */
const MIN_SHARE = 16;

/**
 * Group commit for one org: while a batch runs, the next one gathers. A single caller never waits; many share a commit.
 * With two lanes one batch is decided here while the other is at the database.
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

  /** Answers in the order of the commands; fails with the first of them that fails. */
  add(commands: readonly Command[], mode: Mode): Promise<Answer[]> {
    const call = new Call<Answer>(commands.length);
    for (let at = 0; at < commands.length; at++)
      this.queue.push(new Waiting(commands[at] as Command, mode, call, at));
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
      const batch = this.take(idle);
      if (batch.length === 0) break;
      const lane = this.work(batch).then(() => {
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

  /** The next batch: commands of one group and mode that share no key with what is under way or waits before them. */
  private take(idleLanes: number): Waiting<Command, Answer>[] {
    const now = performance.now();
    const total = this.queue.reduce((sum, { command }) => sum + command.weight, 0);
    const share = total < MIN_SHARE * idleLanes ? total : Math.ceil(total / idleLanes);
    const limit = Math.min(MAX_BATCH_WEIGHT, share);
    const batch: Waiting<Command, Answer>[] = [];
    const passed: Waiting<Command, Answer>[] = [];
    const keysBefore = new Set<string>();
    let weight = 0;
    let seen = 0;
    while (seen < this.queue.length && weight < limit) {
      const waiting = this.queue[seen++] as Waiting<Command, Answer>;
      const { keys, weight: own } = waiting.command;
      const isTooMuch = weight > 0 && weight + own > limit;
      const isHeld = keys.some((key) => this.busyKeys.has(key) || keysBefore.has(key));
      if (isTooMuch || isHeld || waiting.notBefore > now || !fits(waiting, batch[0])) {
        passed.push(waiting);
        for (const key of keys) keysBefore.add(key);
        continue;
      }
      batch.push(waiting);
      weight += own;
      for (const key of keys) this.busyKeys.add(key);
    }
    this.queue = passed.concat(this.queue.slice(seen));
    return batch;
  }

  private async work(batch: readonly Waiting<Command, Answer>[]): Promise<void> {
    const outcomes = await this.run(batch).catch((error: unknown) => batch.map(() => new Failed(error)));
    const again: Waiting<Command, Answer>[] = [];
    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index] as Outcome<Answer>;
      if (outcome instanceof Again) again.push(delayed(waiting, outcome));
      else waiting.call.settle(waiting.place, outcome);
    }
    // Retries keep their place ahead of later commands.
    if (again.length > 0) this.queue.unshift(...again);
  }
}

function fits<Command extends Queued>(one: Attempt<Command>, first: Attempt<Command> | undefined): boolean {
  if (first === undefined) return true;
  return one.mode === first.mode && one.command.group === first.command.group && !one.alone && !first.alone;
}

function delayed<Command, Answer>(
  waiting: Waiting<Command, Answer>,
  { change, delayMs }: Again,
): Waiting<Command, Answer> {
  Object.assign(waiting, change);
  if (delayMs > 0) waiting.waits++;
  waiting.notBefore = delayMs > 0 ? performance.now() + delayMs : 0;
  return waiting;
}
