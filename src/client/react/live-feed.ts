import type { Events } from "../tasks.ts";
import type { FeedEvent } from "../feed.ts";

/** One who shows something: which events it concerns, and what to do when it is stale. */
export type Watcher = { concerns(event: FeedEvent): boolean; stale(): void };

/** Between two pages nobody watches for a moment: that is no reason to hang up. */
const LINGER_MS = 1_000;

/** One stream of events for everything that is shown; it runs while somebody watches. */
export class LiveFeed {
  private readonly events: Events;
  private readonly watchers = new Set<Watcher>();
  private stop: AbortController | undefined;

  constructor(events: Events) {
    this.events = events;
  }

  /** Watches until the function that it gives is called. */
  watch(watcher: Watcher): () => void {
    this.watchers.add(watcher);
    if (!this.stop) void this.run((this.stop = new AbortController()));
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0) return;
      setTimeout(() => {
        this.endIfAlone();
      }, LINGER_MS);
    };
  }

  private endIfAlone(): void {
    if (this.watchers.size > 0) return;
    this.stop?.abort();
    this.stop = undefined;
  }

  private async run(stop: AbortController): Promise<void> {
    const { signal } = stop;
    // What was looked at before the connection stood may have changed since, and what failed may go well now.
    const onConnection = (state: "open" | "lost") => {
      if (state === "open") this.makeStale(() => true);
    };
    try {
      for await (const event of this.events({ signal, onConnection }))
        this.makeStale((watcher) => watcher.concerns(event));
    } catch {
      // A refusal: whoever looks again is told the same, and says so.
      if (this.stop === stop) this.stop = undefined;
      this.makeStale(() => true);
    }
  }

  private makeStale(isMeant: (watcher: Watcher) => boolean): void {
    for (const watcher of this.watchers) if (isMeant(watcher)) watcher.stale();
  }
}
