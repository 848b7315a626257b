import type { ServerResponse } from "node:http";
import type { FastifyBaseLogger } from "fastify";
import { SharedLookup } from "../../std/shared-lookup.ts";
import type { By, Engine } from "../../engine/index.ts";
import type { Bell } from "./org-signal.ts";
import type { EventStream, Recognise } from "./event-stream.ts";
import { FeedTail } from "./feed-tail.ts";
import type { FeedPart, TailPage, TailReader, TailSource, Walk } from "./feed-tail.ts";
import type { OpenStreams } from "./open-streams.ts";
import { Turnstile } from "./semaphore.ts";

/** What live feeds share on a node. */
export type LiveHouse = {
  engine: Engine;
  bell: Bell;
  streams: OpenStreams;
  stopping: AbortSignal;
  log: FastifyBaseLogger;
  /** How often a feed is looked at, whatever is heard: what other nodes commit may not be told; 1 second unless told. */
  lookMs?: number;
};

/** What a feed tells, and to whom: of tasks, or of a lifecycle's own. */
export type FeedKind<Event, Page extends TailPage, Reader extends TailReader<Page>, Filter> = {
  /** What wakes it: no lifecycle's name. */
  bellName: string;
  readerOf: (stream: EventStream, filter: Filter) => Reader;
  /** Reads a piece of an org's feed: for all, or what can be one reader's. */
  read: (org_id: string, walk: Walk, reader: Reader | null) => Promise<FeedPart<Event>>;
  pageOf: TailSource<Event, Page, Reader>["pageOf"];
};

/** Opens a feed of another kind beside that of tasks. */
export type OpenFeed = <Event, Page extends TailPage, Reader extends TailReader<Page>, Filter>(
  kind: FeedKind<Event, Page, Reader, Filter>,
) => LiveFeed<Event, Page, Reader, Filter>;

/** Where a reader begins, and where the feed stood when he asked. */
export type Start = { position: number; head: number };

export type FeedAsk<Filter> = { by: By; recognise: Recognise; filter: Filter; start: Start };

/** Those who are behind share so many connections to the database. */
const READ_AT_ONCE = 2;

const COMPLAINS_EVERY_MS = 10_000;

/** Everybody's live feed on this node: one tail for each org that has readers. */
export class LiveFeed<Event, Page extends TailPage, Reader extends TailReader<Page>, Filter> {
  private readonly house: Required<LiveHouse>;
  private readonly kind: FeedKind<Event, Page, Reader, Filter>;
  private readonly tails = new Map<string, FeedTail<Event, Page, Reader>>();
  private complainedAt = 0;
  private readonly turnstile = new Turnstile(READ_AT_ONCE);
  /** Whoever comes while one is being read shares the next one. */
  private readonly heads: SharedLookup<string, number>;

  constructor(house: LiveHouse, kind: FeedKind<Event, Page, Reader, Filter>) {
    this.house = { lookMs: 1_000, ...house };
    this.kind = kind;
    const { engine, bell, stopping } = house;
    const forget = engine.commits.onCommitted((org_id) => {
      bell.ring(org_id, kind.bellName);
    });
    stopping.addEventListener("abort", forget);
    this.heads = new SharedLookup(async (orgs) => {
      const heads = new Map<string, Promise<number>>();
      for (const org_id of orgs) if (!heads.has(org_id)) heads.set(org_id, engine.feedPosition(org_id));
      return Promise.all(orgs.map((org_id) => heads.get(org_id) as Promise<number>));
    });
  }

  /** After a position, or at now. A position that is not reached yet, as after a restore, is now. */
  async startAfter(org_id: string, after: number | undefined): Promise<Start> {
    const head = await this.heads.add(org_id);
    return { head, position: Math.min(after ?? head, head) };
  }

  /** Tells the feed on a response whose head has been sent, until one of both ends it. */
  tell(response: ServerResponse, { by, recognise, filter, start }: FeedAsk<Filter>): void {
    const { org_id } = by;
    const stream = this.house.streams.open(response, { by, recognise, position: start.position });
    const reader = this.kind.readerOf(stream, filter);
    const tail = this.tails.get(org_id) ?? new FeedTail(start.head, this.sourceOf(org_id));
    this.tails.set(org_id, tail);
    tail.add(reader);
    stream.onClosed(() => {
      tail.remove(reader);
      if (!tail.isEmpty) return;
      tail.stop();
      if (this.tails.get(org_id) === tail) this.tails.delete(org_id);
    });
  }

  private sourceOf(org_id: string): TailSource<Event, Page, Reader> {
    const { bell, lookMs } = this.house;
    const { read, pageOf, bellName } = this.kind;
    return {
      read: (walk) => read(org_id, walk, null),
      readBehind: (walk, reader) => this.turnstile.pass(() => read(org_id, walk, reader)),
      pageOf,
      rings: () => bell.rings(org_id, bellName),
      // Not all orgs at the same moment.
      heard: (rings, signal) =>
        bell.heard(org_id, bellName, { rings, ms: lookMs * (0.75 + Math.random() / 2), signal }),
      onFault: (error) => {
        this.complain(error);
      },
    };
  }

  /** Every org meets the same fault again and again while it lasts. */
  private complain(error: unknown): void {
    if (Date.now() - this.complainedAt < COMPLAINS_EVERY_MS) return;
    this.complainedAt = Date.now();
    this.house.log.warn({ err: error }, "the feed cannot be read; it is looked at again until it can");
  }
}
