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
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/**
 * Group commit: while one batch runs, the next gathers. With one caller nothing waits; with many they share a commit.
 * `run` answers each item in order; what it defers comes first in the next batch.
 */
export class Batch<Item, Answer> {
  readonly run: (items: readonly Item[]) => Promise<(Answer | typeof DEFERRED | Failed)[]>;
  private readonly limit: number;
  private queue: Waiting<Item, Answer>[] = [];
  private running: Promise<void> | null = null;

  constructor(run: Batch<Item, Answer>["run"], { limit = 500 }: { limit?: number } = {}) {
    this.run = run;
    this.limit = limit;
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      this.running ??= this.work();
    });
  }

  /** Waits until nothing is left to do. */
  async drain(): Promise<void> {
    while (this.running) await this.running;
  }

  private async work(): Promise<void> {
    // Whoever calls in the same turn of the event loop travels together.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const taken = this.queue.splice(0, this.limit);
      try {
        const answers = await this.run(taken.map(({ item }) => item));
        const deferred: Waiting<Item, Answer>[] = [];
        for (const [index, waiting] of taken.entries()) {
          const answer = answers[index];
          if (answer === DEFERRED) deferred.push(waiting);
          else if (answer instanceof Failed) waiting.reject(answer.error);
          else waiting.resolve(answer as Answer);
        }
        this.queue.unshift(...deferred);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    this.running = null;
  }
}
