import type { ListenOptions } from "../client/listen.ts";

/** One who shows something: told of every event, and when a connection stands, since something may have been missed. */
export type Watcher<Event> = { heard(event: Event): void; connected(): void };

type Open<Event> = (options: ListenOptions) => AsyncIterable<Event>;

/** Between two pages nobody watches for a moment: that is no reason to hang up. */
const LINGER_MS = 1_000;

/** One stream of events for everything that is shown of it; it runs while somebody watches. */
export class LiveFeed<Event> {
  private readonly open: Open<Event>;
  private readonly watchers = new Set<Watcher<Event>>();
  private stop: AbortController | undefined;

  constructor(open: Open<Event>) {
    this.open = open;
  }

  /** Watches until the function that it gives is called. */
  watch(watcher: Watcher<Event>): () => void {
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
      if (state === "open") this.tellConnected();
    };
    try {
      for await (const event of this.open({ signal, onConnection }))
        for (const watcher of this.watchers) watcher.heard(event);
    } catch {
      // A refusal: whoever looks again is told the same, and says so.
      if (this.stop === stop) this.stop = undefined;
      this.tellConnected();
    }
  }

  private tellConnected(): void {
    for (const watcher of this.watchers) watcher.connected();
  }
}
