import { setImmediate as yieldToEventLoop, setTimeout as pause } from "node:timers/promises";
import type { EventStream } from "./event-stream.ts";

/** The range of a feed to read. */
export type Walk = { after: number; limit: number };

/** The next events, up to and including the position `last`; `ended` if there were none after it. */
export type FeedPart<Event> = {
  events: readonly Event[];
  last: number;
  ended: boolean;
  /** Earlier pages may show their events to members that can no longer see them. */
  restricts?: boolean;
};

/** A rendered page of the feed: the events after the position `after`, up to and including `last`. */
export type TailPage = {
  readonly after: number;
  readonly last: number;
  readonly size: number;
  /** Frees the rendered bytes once most readers have them. */
  dropCache(): void;
};

/** A reader: `take` sends what is new and visible to it, advances the stream's position, and returns whether it sent anything. */
export type TailReader<Page> = { readonly stream: EventStream; take(page: Page): boolean };

export type TailSource<Event, Page, Reader> = {
  /** Reads a page of the org's feed. */
  read: (walk: Walk) => Promise<FeedPart<Event>>;
  /** Reads a page for a reader that is behind; concurrency is limited, to leave the database to others. */
  readCatchUp: (walk: Walk, reader: Reader) => Promise<FeedPart<Event>>;
  /** Prepares a page for sending. */
  pageOf: (read: { after: number; last: number; events: readonly Event[] }) => Page;
  /** Counts commits; `waitForSignal` resolves when the count has changed, or when the next poll is due. */
  signalCount: () => number;
  waitForSignal: (count: number, signal: AbortSignal) => Promise<void>;
  onFault: (error: unknown) => void;
};

const PAGE_SIZE = 500;
/** Page size for readers that are behind; they get the next page only when they have received the last. */
const CATCH_UP_PAGE_SIZE = 200;
/** Recent events kept in memory for readers that are slightly behind, such as after a reconnect. */
const MAX_RECENT_EVENTS = 1_000;
/** Readers to send to before yielding to the event loop; one that is sent nothing costs less than a tenth of one that is. */
const READERS_PER_TURN = 200;
const SKIPPED_PER_SENT = 10;
const MAX_PAUSE_MS = 50;
const FAULT_PAUSE_MS = 500;

/**
 * Reads the end of one org's feed once for all its readers. A reader that is behind reads from the database until it has reached
 * the tail. Each reader has the position up to which it has received everything, so no event is repeated or lost, wherever
 * it joins.
 */
export class FeedTail<Event, Page extends TailPage, Reader extends TailReader<Page>> {
  private position: number;
  private recent: Page[] = [];
  private readonly source: TailSource<Event, Page, Reader>;
  private readonly readers = new Set<Reader>();
  private readonly behind = new Set<Reader>();
  private readonly stopped = new AbortController();

  constructor(position: number, source: TailSource<Event, Page, Reader>) {
    this.position = position;
    this.source = source;
    void this.run();
  }

  get isEmpty(): boolean {
    return this.readers.size + this.behind.size === 0;
  }

  /** Adds a reader that asked when the feed ended at `head`. */
  add(reader: Reader, head = 0): void {
    this.readers.delete(reader);
    this.behind.add(reader);
    void this.catchUp(reader, head).finally(() => this.behind.delete(reader));
  }

  remove(reader: Reader): void {
    this.readers.delete(reader);
    this.behind.delete(reader);
  }

  stop(): void {
    this.stopped.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      // Counted before the poll, so that a commit during the poll is not missed.
      const count = this.source.signalCount();
      const ended = await this.poll().catch((error: unknown) => {
        // The next poll reads the same page again, so nothing is lost.
        this.source.onFault(error);
        return true;
      });
      if (ended) await this.source.waitForSignal(count, signal);
    }
  }

  /** Reads and sends the next page; returns whether it was the last. */
  private async poll(): Promise<boolean> {
    const page = await this.source.read({ after: this.position, limit: PAGE_SIZE });
    if (page.events.length > 0 || page.restricts) {
      const before = performance.now();
      await this.sendToAll(page);
      // With many readers and many small commits, sending takes most of the time: pause as long as it took, so that other work
      // gets its turn, and the next commits are sent together.
      const rest = Math.min(performance.now() - before, MAX_PAUSE_MS);
      if (rest >= 1) await pause(rest);
    }
    return page.ended;
  }

  private async sendToAll({ events, last, restricts = false }: FeedPart<Event>): Promise<void> {
    const page = this.source.pageOf({ after: this.position, last, events });
    // Readers that are behind read these events again, with the members that may see them now.
    if (restricts) this.recent = [];
    // Before sending, so that readers that join meanwhile get the page too.
    this.position = last;
    this.keep(page);
    let sent = 0;
    for (const reader of this.readers) {
      // A reader has missed a page only if sending it failed midway; then it catches up from the database.
      if (reader.stream.position < page.after) this.add(reader);
      else sent += reader.take(page) ? 1 : 1 / SKIPPED_PER_SENT;
      if (sent < READERS_PER_TURN) continue;
      sent = 0;
      await yieldToEventLoop();
    }
    page.dropCache();
  }

  private keep(page: Page): void {
    this.recent.push(page);
    let kept = this.recent.reduce((sum, { size }) => sum + size, 0);
    while (kept > MAX_RECENT_EVENTS) kept -= this.recent.shift()?.size ?? 0;
  }

  /** Brings a reader up to the tail at its own pace: it gets the next page when it has received the last. */
  private async catchUp(reader: Reader, head: number): Promise<void> {
    const { stream } = reader;
    for (;;) {
      await stream.drained();
      if (!stream.isOpen) return;
      if (stream.position >= this.position) {
        this.readers.add(reader);
        return;
      }
      // Until the tail has read as far as the reader could, it may not know who was restricted before the reader asked.
      const recent = this.position < head ? [] : this.recent;
      const atHand = recent.find(({ after, last }) => after <= stream.position && stream.position < last);
      if (atHand) reader.take(atHand);
      else await this.readFor(reader);
    }
  }

  private async readFor(reader: Reader): Promise<void> {
    const reached = this.position;
    const after = reader.stream.position;
    try {
      const { events, last, ended } = await this.source.readCatchUp(
        { after, limit: CATCH_UP_PAGE_SIZE },
        reader,
      );
      // At the end of the feed the reader has passed everything that the tail had, even if none of it was visible to it.
      const read = { after, last: ended ? Math.max(last, reached) : last, events };
      reader.take(this.source.pageOf(read));
    } catch (error) {
      this.source.onFault(error);
      await pause(FAULT_PAUSE_MS);
    }
  }
}
