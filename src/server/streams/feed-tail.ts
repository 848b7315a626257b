import { setImmediate as breathe, setTimeout as pause } from "node:timers/promises";
import type { EventStream } from "./event-stream.ts";

/** Where in a feed to read, and how much. */
export type Walk = { after: number; limit: number };

/** The next events, up to and with the position `last`; `ended` where there was nothing after it. */
export type FeedPart<Event> = { events: readonly Event[]; last: number; ended: boolean };

/** A piece of the feed, ready to be told: what is after one position, up to and with another. */
export type TailPage = {
  readonly after: number;
  readonly last: number;
  readonly size: number;
  /** Most have been told: what was written for them can go. */
  fold(): void;
};

/** One who reads: `take` sends what is his and new to him, puts his stream's position forward, and says whether he was sent anything. */
export type TailReader<Page> = { readonly stream: EventStream; take(page: Page): boolean };

export type TailSource<Event, Page, Reader> = {
  /** Reads a piece of the org's feed. */
  read: (walk: Walk) => Promise<FeedPart<Event>>;
  /** The same for one who is behind; many wait for each other, so that they leave the database to the others. */
  readBehind: (walk: Walk, reader: Reader) => Promise<FeedPart<Event>>;
  /** Makes ready what was read. */
  pageOf: (read: { after: number; last: number; events: readonly Event[] }) => Page;
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
/** After so many readers others have their turn; whoever is sent nothing takes no tenth of the time. */
const TOLD_AT_ONCE = 200;
const PASSED_AS_ONE = 10;
const LONGEST_REST_MS = 50;
const AFTER_FAULT_MS = 500;

/**
 * The end of one org's feed, read once for all who read it. Who is behind reads by himself, from the database, until he
 * has reached the tail. Each reader knows the position up to which he has been told everything, so that nothing is told
 * twice or left out, wherever he joins.
 */
export class FeedTail<Event, Page extends TailPage, Reader extends TailReader<Page>> {
  private position: number;
  private recent: Page[] = [];
  private readonly source: TailSource<Event, Page, Reader>;
  private readonly readers = new Set<Reader>();
  private readonly behind = new Set<Reader>();
  private readonly over = new AbortController();

  constructor(position: number, source: TailSource<Event, Page, Reader>) {
    this.position = position;
    this.source = source;
    void this.run();
  }

  get isEmpty(): boolean {
    return this.readers.size + this.behind.size === 0;
  }

  add(reader: Reader): void {
    this.readers.delete(reader);
    this.behind.add(reader);
    void this.bring(reader).finally(() => this.behind.delete(reader));
  }

  remove(reader: Reader): void {
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

  private async tell({ events, last }: FeedPart<Event>): Promise<void> {
    const page = this.source.pageOf({ after: this.position, last, events });
    // Before it is told: whoever joins while it is gets it as well.
    this.position = last;
    this.keep(page);
    let told = 0;
    for (const reader of this.readers) {
      // Nobody has missed a page, unless telling it failed in the middle: then he reads for himself what he has missed.
      if (reader.stream.position < page.after) this.add(reader);
      else told += reader.take(page) ? 1 : 1 / PASSED_AS_ONE;
      if (told < TOLD_AT_ONCE) continue;
      told = 0;
      await breathe();
    }
    page.fold();
  }

  private keep(page: Page): void {
    this.recent.push(page);
    let kept = this.recent.reduce((sum, { size }) => sum + size, 0);
    while (kept > MOST_RECENT) kept -= this.recent.shift()?.size ?? 0;
  }

  /** Lets a reader come up to the tail at his own pace: he is sent the next piece when he has taken the last one. */
  private async bring(reader: Reader): Promise<void> {
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

  private async readFor(reader: Reader): Promise<void> {
    const reached = this.position;
    const after = reader.stream.position;
    try {
      const { events, last, ended } = await this.source.readBehind({ after, limit: PAGE_BEHIND }, reader);
      // Where it ended, it has looked at everything that the tail had seen before: also where nothing of it was his.
      const read = { after, last: ended ? Math.max(last, reached) : last, events };
      reader.take(this.source.pageOf(read));
    } catch (error) {
      this.source.onFault(error);
      await pause(AFTER_FAULT_MS);
    }
  }
}
