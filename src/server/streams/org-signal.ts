/** Wakes code that waits for commits of an org. Only a hint: waiters also poll. */
export class OrgSignal {
  private readonly counts = new Map<string, number>();
  private readonly waiting = new Map<string, Set<() => void>>();

  notify(org_id: string, name: string): void {
    const key = keyOf(org_id, name);
    this.counts.set(key, this.count(org_id, name) + 1);
    for (const wake of [...(this.waiting.get(key) ?? [])]) wake();
  }

  /** Returns the number of notifications so far. */
  count(org_id: string, name: string): number {
    return this.counts.get(keyOf(org_id, name)) ?? 0;
  }

  /** Resolves when the count differs from `count`, after `ms`, or when the signal aborts. */
  async wait(
    org_id: string,
    name: string,
    { count, ms, signal }: { count: number; ms: number; signal: AbortSignal },
  ): Promise<void> {
    if (signal.aborted || this.count(org_id, name) !== count) return;
    const key = keyOf(org_id, name);
    const waiting = this.waiting.get(key) ?? new Set();
    this.waiting.set(key, waiting);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        waiting.delete(wake);
        if (waiting.size === 0) this.waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener("abort", wake);
      waiting.add(wake);
    });
  }
}

function keyOf(org_id: string, name: string): string {
  return `${name} ${org_id}`;
}
