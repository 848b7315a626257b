import type { Instant } from "../../core/index.ts";

/** An estimate older than this is not used: the server's clock may have been set meanwhile. */
const MAX_AGE_MS = 2_000;

/**
 * Estimates the database's clock, the only one that tasks are timed by, from the last answer that carried it. The estimate
 * is behind by the time that answer travelled, and never ahead.
 */
export class DatabaseClock {
  private at: Instant | null = null;
  private readAt = 0;

  /** Records the server's time from an answer that has just arrived. */
  set(now: Instant): void {
    this.at = now;
    this.readAt = performance.now();
  }

  /** The server's time, or null when no recent answer carried it. */
  now(): Instant | null {
    const age = performance.now() - this.readAt;
    return this.at === null || age > MAX_AGE_MS ? null : Math.floor(this.at + age);
  }
}
