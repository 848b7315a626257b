import { randomUUID } from "node:crypto";

/** The same claim counts as a repetition for this long. */
export const CLAIM_REPEAT_WINDOW_MS = 120_000;

const MAX_REMEMBERED = 10_000;

/** A claim without a request_id: its key, and the tasks that the caller had just claimed when it came first. */
export type RecentClaim<Held = unknown> = {
  readonly key: string;
  readonly at: number;
  readonly held: Promise<readonly Held[]>;
};

/**
 * Remembers such claims for a while. A claim from the pool does not name a task, so a repetition during the first call can
 * be recognized only by remembering the call.
 */
export class RecentClaims<Held = unknown> {
  private readonly claims = new Map<string, RecentClaim<Held>>();

  /** Returns the same recent claim, or remembers this one. */
  rememberOrReuse(
    fingerprint: string,
    now: number,
    loadHeld: () => Promise<readonly Held[]>,
  ): RecentClaim<Held> & { again: boolean } {
    const found = this.claims.get(fingerprint);
    if (found && now - found.at < CLAIM_REPEAT_WINDOW_MS) return { ...found, again: true };
    return { ...this.remember(fingerprint, now, loadHeld()), again: false };
  }

  /** Returns the claim after one whose tasks were already used; concurrent callers get the same one. */
  next(fingerprint: string, { key }: RecentClaim<Held>, now: number): RecentClaim<Held> {
    const current = this.claims.get(fingerprint);
    return current && current.key !== key ? current : this.remember(fingerprint, now, Promise.resolve([]));
  }

  forget(fingerprint: string): void {
    this.claims.delete(fingerprint);
  }

  private remember(fingerprint: string, now: number, held: RecentClaim<Held>["held"]): RecentClaim<Held> {
    const claim = { key: `mcp:${randomUUID()}`, at: now, held };
    // Deleted first, so that the map stays ordered by time and the oldest claims are dropped.
    this.claims.delete(fingerprint);
    this.claims.set(fingerprint, claim);
    for (const [oldest, { at }] of this.claims) {
      if (this.claims.size <= MAX_REMEMBERED && now - at < CLAIM_REPEAT_WINDOW_MS) break;
      this.claims.delete(oldest);
    }
    return claim;
  }
}
