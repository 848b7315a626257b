import { setImmediate as breathe, setTimeout as pause } from "node:timers/promises";
import type { FeedPage, FeedWalk } from "../../engine/statements/read-feed-page.ts";
import type { FeedReader } from "./feed-reader.ts";
import { ToldPage } from "./told-page.ts";

export type TailSource = {
  /** Reads a piece of the org's feed. */
  read: (walk: FeedWalk) => Promise<FeedPage>;
  /** The same for one who is behind; many wait for each other, so that they leave the database to the others. */
  readBehind: (walk: FeedWalk) => Promise<FeedPage>;
  /** How often something was committed so far; `heard` resolves when that has changed, or it is time to look anyway. */
  rings: () => number;
  heard: (rings: number, signal: AbortSignal) => Promise<void>;
  onFault: (error: unknown) => void;
};

/** What the tail reads in one go, and what one who is behind does: he is sent no more than that without having taken it. */
const PAGE = 500;
const PAGE_BEHIND = 200;
/** So many events are kept for those who are only a little behind, as all are who have just lost their connection. */
const MOST_RECENT = 1_000;
/** After so many readers others have their turn. */
const TOLD_AT_ONCE = 200;
const LONGEST_REST_MS = 50;
const AFTER_FAULT_MS = 500;

/**
 * The end of one org's feed, read once for all who read it. Who is behind reads by himself, from the database, until he
 * has reached the tail. Each reader knows the position up to which he has been told everything, so that nothing is told
 * twice or left out, wherever he joins.
 */
export class FeedTail {
  private position: number;
  private recent: ToldPage[] = [];
  private readonly source: TailSource;
  private readonly readers = new Set<FeedReader>();
  private readonly behind = new Set<FeedReader>();
  private readonly over = new AbortController();

  constructor(position: number, source: TailSource) {
    this.position = position;
    this.source = source;
    void this.run();
  }

  get isEmpty(): boolean {
    return this.readers.size + this.behind.size === 0;
  }

  add(reader: FeedReader): void {
    this.readers.delete(reader);
    this.behind.add(reader);
    void this.bring(reader).finally(() => this.behind.delete(reader));
  }

  remove(reader: FeedReader): void {
    this.readers.delete(reader);
    this.behind.delete(reader);
  }

  stop(): void {
    this.over.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      // Counted before it is looked: what comes meanwhile has rung by then.
      const rings = this.source.rings();
      const ended = await this.look().catch((error: unknown) => {
        // Whatever is in the way, the next look comes all the same: nothing is lost by it.
        this.source.onFault(error);
        return true;
      });
      if (ended) await this.source.heard(rings, signal);
    }
  }

  /** Tells what is new; says whether that was all of it. */
  private async look(): Promise<boolean> {
    const page = await this.source.read({ after: this.position, limit: PAGE });
    if (page.events.length > 0) {
      const before = performance.now();
      await this.tell(page);
      // With many readers and many small commits telling is the work: at least half of the time is for others, and what is
      // committed meanwhile is told together.
      const rest = Math.min(performance.now() - before, LONGEST_REST_MS);
      if (rest >= 1) await pause(rest);
    }
    return page.ended;
  }

  private async tell({ events, last }: FeedPage): Promise<void> {
    const page = new ToldPage({ after: this.position, last, events });
    // Before it is told: whoever joins while it is gets it as well.
    this.position = last;
    this.keep(page);
    let told = 0;
    for (const reader of this.readers) {
      // Nobody has missed a page, unless telling it failed in the middle: then he reads for himself what he has missed.
      if (reader.stream.position < page.after) this.add(reader);
      else reader.take(page);
      if (++told % TOLD_AT_ONCE === 0) await breathe();
    }
    page.fold();
  }

  private keep(page: ToldPage): void {
    this.recent.push(page);
    let kept = this.recent.reduce((sum, { size }) => sum + size, 0);
    while (kept > MOST_RECENT) kept -= this.recent.shift()?.size ?? 0;
  }

  /** Lets a reader come up to the tail at his own pace: he is sent the next piece when he has taken the last one. */
  private async bring(reader: FeedReader): Promise<void> {
    const { stream } = reader;
    for (;;) {
      await stream.drained();
      if (!stream.isOpen) return;
      if (stream.position >= this.position) {
        this.readers.add(reader);
        return;
      }
      const atHand = this.recent.find(
        ({ after, last }) => after <= stream.position && stream.position < last,
      );
      if (atHand) reader.take(atHand);
      else await this.readFor(reader);
    }
  }

  private async readFor(reader: FeedReader): Promise<void> {
    const reached = this.position;
    const after = reader.stream.position;
    try {
      const { events, last, ended } = await this.source.readBehind(reader.walk(PAGE_BEHIND));
      // Where it ended, it has looked at everything that the tail had seen before: also where nothing of it was his.
      reader.take(new ToldPage({ after, last: ended ? Math.max(last, reached) : last, events }));
    } catch (error) {
      this.source.onFault(error);
      await pause(AFTER_FAULT_MS);
    }
  }
}
