type Waiting<Asked, Answer> = {
  asked: Asked;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

const MAX_ASKED = 500;
const LANES = 2;

/** Questions that come while others are being answered are answered together; `lookUp` answers in the order it was asked. */
export class SharedLookup<Asked, Answer> {
  private readonly lookUp: (asked: readonly Asked[]) => Promise<readonly Answer[]>;
  private waiting: Waiting<Asked, Answer>[] = [];
  private running = 0;

  constructor(lookUp: SharedLookup<Asked, Answer>["lookUp"]) {
    this.lookUp = lookUp;
  }

  add(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
      // Questions of the same turn of the event loop go together.
      if (this.waiting.length === 1) queueMicrotask(() => void this.next());
    });
  }

  private async next(): Promise<void> {
    if (this.running >= LANES || this.waiting.length === 0) return;
    const batch = this.waiting.splice(0, MAX_ASKED);
    this.running++;
    try {
      const answers = await this.lookUp(batch.map(({ asked }) => asked));
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.running--;
    void this.next();
  }
}
