/** A token's bucket: how much is left in it, and as of when. */
type Bucket = { left: number; at: number };

/** Buckets are looked through for full ones each time their number has grown by so many. */
const TIDY_EVERY = 10_000;

/**
 * So many requests a minute for each token, on this node. A bucket that holds a minute's worth and is filled steadily: who
 * was quiet may come in a burst, who never stops is held to the measure.
 */
export class RateLimit {
  private readonly perMinute: number;
  private readonly clock: () => number;
  private readonly buckets = new Map<string, Bucket>();
  private tidyAt = TIDY_EVERY;

  constructor(perMinute: number, clock: () => number = () => performance.now()) {
    this.perMinute = perMinute;
    this.clock = clock;
  }

  /** Takes one; or says in how many seconds there will be one again. */
  secondsToWait(key: string): number | null {
    const now = this.clock();
    const bucket = this.buckets.get(key) ?? this.add(key, now);
    const perMs = this.perMinute / 60_000;
    bucket.left = Math.min(this.perMinute, bucket.left + (now - bucket.at) * perMs);
    bucket.at = now;
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / perMs / 1_000));
    bucket.left -= 1;
    return null;
  }

  private add(key: string, now: number): Bucket {
    if (this.buckets.size >= this.tidyAt) this.forgetFull(now);
    const bucket = { left: this.perMinute, at: now };
    this.buckets.set(key, bucket);
    return bucket;
  }

  /** A bucket that nobody took from for a minute is full, and as good as none. */
  private forgetFull(now: number): void {
    for (const [key, { at }] of this.buckets) if (now - at >= 60_000) this.buckets.delete(key);
    this.tidyAt = this.buckets.size + TIDY_EVERY;
  }
}
