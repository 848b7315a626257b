/** The bucket of a token: the requests left in it at a moment. */
type Bucket = { left: number; at: number };

/** Full buckets are removed each time the number of buckets has grown by this. */
const CLEANUP_GROWTH = 10_000;

/**
 * Limits the requests per minute of each token, on this node. A token bucket that holds one minute's worth and fills steadily,
 * so that short bursts are allowed.
 */
export class RateLimit {
  private readonly perMinute: number;
  private readonly clock: () => number;
  private readonly buckets = new Map<string, Bucket>();
  private cleanupAt = CLEANUP_GROWTH;

  constructor(perMinute: number, clock: () => number = () => performance.now()) {
    this.perMinute = perMinute;
    this.clock = clock;
  }

  /** Takes a request from the bucket; returns null, or the seconds until the next is available. */
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
    if (this.buckets.size >= this.cleanupAt) this.removeFull(now);
    const bucket = { left: this.perMinute, at: now };
    this.buckets.set(key, bucket);
    return bucket;
  }

  /** Removes buckets unused for a minute: they are full, like a new one. */
  private removeFull(now: number): void {
    for (const [key, { at }] of this.buckets) if (now - at >= 60_000) this.buckets.delete(key);
    this.cleanupAt = this.buckets.size + CLEANUP_GROWTH;
  }
}
