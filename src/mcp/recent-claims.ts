import { randomUUID } from "node:crypto";

/** For how long the same claim, sent again, counts as a repetition. */
export const REPEATED_WITHIN_MS = 120_000;

const MOST_REMEMBERED = 10_000;

/** A claim that came without a request_id: its key, and what its caller held already when it came first. */
export type RecentClaim<Held = unknown> = {
  readonly key: string;
  readonly at: number;
  readonly held: Promise<readonly Held[]>;
};

/**
 * Remembers such claims for a while. A task that the pool gives is not named in the call, so only who remembers the call
 * can tell that it is made again while the first is still under way.
 */
export class RecentClaims<Held = unknown> {
  private readonly claims = new Map<string, RecentClaim<Held>>();

  /** The same claim of a moment ago, or this one, which is remembered from now on. */
  meet(
    print: string,
    now: number,
    look: () => Promise<readonly Held[]>,
  ): RecentClaim<Held> & { again: boolean } {
    const found = this.claims.get(print);
    if (found && now - found.at < REPEATED_WITHIN_MS) return { ...found, again: true };
    return { ...this.remember(print, now, look()), again: false };
  }

  /** The claim that comes after one whose answer is used up; of several who find that out at once all get the same. */
  follow(print: string, { key }: RecentClaim<Held>, now: number): RecentClaim<Held> {
    const current = this.claims.get(print);
    return current && current.key !== key ? current : this.remember(print, now, Promise.resolve([]));
  }

  forget(print: string): void {
    this.claims.delete(print);
  }

  private remember(print: string, now: number, held: RecentClaim<Held>["held"]): RecentClaim<Held> {
    const claim = { key: `mcp:${randomUUID()}`, at: now, held };
    // Taken out first, so that the map stays in the order of time and the oldest is forgotten.
    this.claims.delete(print);
    this.claims.set(print, claim);
    for (const [oldest, { at }] of this.claims) {
      if (this.claims.size <= MOST_REMEMBERED && now - at < REPEATED_WITHIN_MS) break;
      this.claims.delete(oldest);
    }
    return claim;
  }
}
