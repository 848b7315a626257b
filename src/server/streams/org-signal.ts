/** Wakes those who wait for what an org commits. Only a hint: whoever hears nothing looks by himself now and then. */
export class Bell {
  private readonly rung = new Map<string, number>();
  private readonly waiting = new Map<string, Set<() => void>>();

  ring(org_id: string, name: string): void {
    const key = keyOf(org_id, name);
    this.rung.set(key, this.rings(org_id, name) + 1);
    for (const wake of [...(this.waiting.get(key) ?? [])]) wake();
  }

  /** How often it has rung. */
  rings(org_id: string, name: string): number {
    return this.rung.get(keyOf(org_id, name)) ?? 0;
  }

  /** Resolves when it has rung since `rings` were counted, when the time is over, or when nobody waits any more. */
  async heard(
    org_id: string,
    name: string,
    { rings, ms, signal }: { rings: number; ms: number; signal: AbortSignal },
  ): Promise<void> {
    if (signal.aborted || this.rings(org_id, name) !== rings) return;
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
