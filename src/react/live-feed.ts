import type { ListenOptions } from "../client/listen.ts";

/** Receives the events of a feed. `onConnected` is called after each connection: earlier events may have been missed. */
export type Watcher<Event> = { onEvent(event: Event): void; onConnected(): void };

type Open<Event> = (options: ListenOptions) => AsyncIterable<Event>;

/** How long the stream stays open without watchers, so that navigating to another page does not close it. */
const LINGER_MS = 1_000;

/** One stream of events, shared by all components that use it; open while there are watchers. */
export class LiveFeed<Event> {
  private readonly open: Open<Event>;
  private readonly watchers = new Set<Watcher<Event>>();
  private stop: AbortController | undefined;

  constructor(open: Open<Event>) {
    this.open = open;
  }

  /** Adds a watcher; returns the function that removes it. */
  watch(watcher: Watcher<Event>): () => void {
    this.watchers.add(watcher);
    if (!this.stop) void this.run((this.stop = new AbortController()));
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0) return;
      setTimeout(() => {
        this.closeIfUnused();
      }, LINGER_MS);
    };
  }

  private closeIfUnused(): void {
    if (this.watchers.size > 0) return;
    this.stop?.abort();
    this.stop = undefined;
  }

  private async run(stop: AbortController): Promise<void> {
    const { signal } = stop;
    // Data fetched before the connection was open may be stale, and a failed fetch may succeed now.
    const onConnection = (state: "open" | "lost") => {
      if (state === "open") this.notifyConnected();
    };
    try {
      for await (const event of this.open({ signal, onConnection }))
        for (const watcher of this.watchers) watcher.onEvent(event);
    } catch {
      // The server refused the stream. Watchers fetch their data again, get the same refusal and show it.
      if (this.stop === stop) this.stop = undefined;
      this.notifyConnected();
    }
  }

  private notifyConnected(): void {
    for (const watcher of this.watchers) watcher.onConnected();
  }
}
