/** Chance that can be repeated: the same seed, the same story. */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** From 0 up to 1, by mulberry32. */
  number(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(least: number, most: number): number {
    return least + this.number() * (most - least);
  }

  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  /** True so often: 0.25 is once in four times. */
  happens(share: number): boolean {
    return this.number() < share;
  }

  /** One of them; undefined only where there may be none. */
  pick<List extends readonly unknown[]>(
    from: List,
  ): List extends readonly [unknown, ...unknown[]] ? List[number] : List[number] | undefined {
    return from[Math.floor(this.number() * from.length)] as never;
  }

  /** Some of them, each once. */
  some<T>(from: readonly T[], count: number): T[] {
    const left = [...from];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0)
      taken.push(...left.splice(Math.floor(this.number() * left.length), 1));
    return taken;
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.whole(0, 15).toString(16)).join("");
  }
}
