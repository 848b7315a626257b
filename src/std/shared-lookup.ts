type Waiting<Key, Answer> = {
  key: Key;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

const MAX_BATCH_SIZE = 500;
const MAX_CONCURRENCY = 2;

/** Batches look-ups: keys added during a look-up form the next batch. `lookUp` answers in the order of its keys. */
export class SharedLookup<Key, Answer> {
  private readonly lookUp: (keys: readonly Key[]) => Promise<readonly Answer[]>;
  private waiting: Waiting<Key, Answer>[] = [];
  private running = 0;

  constructor(lookUp: SharedLookup<Key, Answer>["lookUp"]) {
    this.lookUp = lookUp;
  }

  add(key: Key): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      // Keys added in the same turn of the event loop share a batch.
      if (this.waiting.length === 1) queueMicrotask(() => void this.next());
    });
  }

  private async next(): Promise<void> {
    if (this.running >= MAX_CONCURRENCY || this.waiting.length === 0) return;
    const batch = this.waiting.splice(0, MAX_BATCH_SIZE);
    this.running++;
    try {
      const answers = await this.lookUp(batch.map(({ key }) => key));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.running--;
    void this.next();
  }
}
