import type { Instant } from "../../core/index.ts";

/** Maximum age of an estimate: the server's clock may have been set since. */
const MAX_AGE_MS = 2_000;

/**
 * Estimates the database's clock, which times all tasks, from the last answer that contained it. The estimate lags by that
 * answer's travel time and is never ahead.
 */
export class DatabaseClock {
  private at: Instant | null = null;
  private readAt = 0;

  /** Records the server's time from an answer that just arrived. */
  set(now: Instant): void {
    this.at = now;
    this.readAt = performance.now();
  }

  /** Returns the server's estimated time, or null if no recent answer contained it. */
  now(): Instant | null {
    const age = performance.now() - this.readAt;
    return this.at === null || age > MAX_AGE_MS ? null : Math.floor(this.at + age);
  }
}
