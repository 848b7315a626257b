/** Said of an item that must wait for the next batch: what it needs was taken by a neighbour. */
export const DEFERRED = Symbol("deferred");

/** Said of an item that failed alone: its neighbours did not. */
export class Failed {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

type Waiting<Item, Answer> = {
  item: Item;
  keys: readonly string[];
  weight: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

type Run<Item, Answer> = (items: readonly Item[]) => Promise<(Answer | typeof DEFERRED | Failed)[]>;

export type BatchOptions<Item> = {
  /** What an item must have to itself: two items with a key in common are never under way at once, and go in order. */
  keysOf: (item: Item) => readonly string[];
  /** How much work an item is; 1 unless told. */
  weightOf?: (item: Item) => number;
  /** The most work in one batch; an item that is more goes alone. */
  limit?: number;
  lanes?: number;
};

/** So much work for each makes it worth while to share it out: a batch costs by itself what forty of its items do. */
const WORTH_SHARING = 64;

/**
 * Group commit: while batches run, the next gathers. With one caller nothing waits; with many they share a commit. There
 * are two lanes, so that one batch is thought about here while the other is at the database. `run` answers each item in
 * order; what it defers comes first in the next batch.
 */
export class Batch<Item, Answer> {
  private readonly run: Run<Item, Answer>;
  private readonly options: Required<BatchOptions<Item>>;
  private queue: Waiting<Item, Answer>[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly busyKeys = new Set<string>();
  private waking = false;

  constructor(run: Run<Item, Answer>, options: BatchOptions<Item>) {
    this.run = run;
    this.options = { limit: 500, lanes: 2, weightOf: () => 1, ...options };
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { keysOf, weightOf } = this.options;
      this.queue.push({ item, keys: keysOf(item), weight: weightOf(item), resolve, reject });
      this.wake();
    });
  }

  /** Waits until nothing is left to do. */
  async drain(): Promise<void> {
    while (this.waking || this.running.size > 0 || this.queue.length > 0)
      await (this.running.size > 0 ? Promise.race(this.running) : Promise.resolve());
  }

  private wake(): void {
    if (this.waking) return;
    this.waking = true;
    // Whoever calls in the same turn of the event loop travels together.
    queueMicrotask(() => {
      this.waking = false;
      this.fillLanes();
    });
  }

  private fillLanes(): void {
    for (let idle = this.options.lanes - this.running.size; idle > 0; idle--) {
      const taken = this.take(idle);
      if (taken.length === 0) return;
      const lane = this.work(taken).then(() => {
        this.running.delete(lane);
        for (const { keys } of taken) for (const key of keys) this.busyKeys.delete(key);
        this.wake();
      });
      this.running.add(lane);
    }
  }

  /** The next batch of those that are free to go. What waits for another keeps its place. */
  private take(idleLanes: number): Waiting<Item, Answer>[] {
    const all = this.queue.reduce((sum, { weight }) => sum + weight, 0);
    const share = all < WORTH_SHARING * idleLanes ? 1 : idleLanes;
    const most = Math.min(this.options.limit, Math.ceil(all / share));
    let load = 0;
    const taken: Waiting<Item, Answer>[] = [];
    const left: Waiting<Item, Answer>[] = [];
    const waitedFor = new Set<string>();
    for (const waiting of this.queue) {
      const { keys } = waiting;
      const full = load > 0 && load + waiting.weight > most;
      if (full || keys.some((key) => this.busyKeys.has(key) || waitedFor.has(key))) {
        left.push(waiting);
        for (const key of keys) waitedFor.add(key);
        continue;
      }
      taken.push(waiting);
      load += waiting.weight;
      for (const key of keys) this.busyKeys.add(key);
    }
    this.queue = left;
    return taken;
  }

  private async work(taken: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.run(taken.map(({ item }) => item));
      const deferred: Waiting<Item, Answer>[] = [];
      for (const [index, waiting] of taken.entries()) {
        const answer = answers[index];
        if (answer === DEFERRED) deferred.push(waiting);
        else if (answer instanceof Failed) waiting.reject(answer.error);
        else waiting.resolve(answer as Answer);
      }
      if (deferred.length > 0) this.queue.unshift(...deferred);
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }
}
