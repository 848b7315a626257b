/** Random numbers from a seed: the same seed gives the same demo. */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive), by mulberry32. */
  number(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(min: number, max: number): number {
    return min + this.number() * (max - min);
  }

  whole(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  /** True with the given probability, from 0 to 1. */
  happens(probability: number): boolean {
    return this.number() < probability;
  }

  /** Picks one element; undefined only if the list may be empty. */
  pick<List extends readonly unknown[]>(
    from: List,
  ): List extends readonly [unknown, ...unknown[]] ? List[number] : List[number] | undefined {
    return from[Math.floor(this.number() * from.length)] as never;
  }

  /** Picks several elements, each at most once. */
  some<T>(from: readonly T[], count: number): T[] {
    const left = [...from];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0)
      taken.push(...left.splice(Math.floor(this.number() * left.length), 1));
    return taken;
  }

  /** Returns a random hexadecimal text. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.whole(0, 15).toString(16)).join("");
  }
}
