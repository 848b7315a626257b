import type { ServerResponse } from "node:http";
import type { FastifyBaseLogger } from "fastify";
import { Batch } from "../../engine/batch.ts";
import type { By, Engine } from "../../engine/engine.ts";
import type { Bell } from "../bell.ts";
import type { Recognise } from "./event-stream.ts";
import { FeedReader } from "./feed-reader.ts";
import { FeedTail } from "./feed-tail.ts";
import type { TailSource } from "./feed-tail.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { FeedFilter } from "./told-page.ts";
import { Turnstile } from "./turnstile.ts";

export type LiveFeedOptions = {
  engine: Engine;
  bell: Bell;
  streams: OpenStreams;
  stopping: AbortSignal;
  log: FastifyBaseLogger;
  /** How often the feed is looked at, whatever is heard: what other nodes commit may not be told; 1 second unless told. */
  lookMs?: number;
};

/** Where a reader begins, and where the feed stood when he asked. */
export type Start = { position: number; head: number };

export type FeedAsk = { by: By; recognise: Recognise; filter: FeedFilter; start: Start };

/** A lifecycle has a name: the bell of none of them is the feed's. */
const FEED = "";

/** Those who are behind share so many connections to the database. */
const READ_AT_ONCE = 2;

const COMPLAINS_EVERY_MS = 10_000;

/** Everybody's live feed on this node: one tail for each org that has readers. */
export class LiveFeed {
  private readonly options: Required<LiveFeedOptions>;
  private readonly tails = new Map<string, FeedTail>();
  private complainedAt = 0;
  private readonly turnstile = new Turnstile(READ_AT_ONCE);
  /** Whoever comes while one is being read shares the next one. */
  private readonly heads: Batch<string, number>;

  constructor(options: LiveFeedOptions) {
    this.options = { lookMs: 1_000, ...options };
    const { engine, bell, stopping } = options;
    const forget = engine.commits.onCommitted((org_id) => {
      bell.ring(org_id, FEED);
    });
    stopping.addEventListener("abort", forget);
    this.heads = new Batch(
      async (orgs) => {
        const heads = new Map<string, Promise<number>>();
        for (const org_id of orgs) if (!heads.has(org_id)) heads.set(org_id, engine.feedPosition(org_id));
        return Promise.all(orgs.map((org_id) => heads.get(org_id) as Promise<number>));
      },
      { keysOf: () => [] },
    );
  }

  /** After a position, or at now. A position that is not reached yet, as after a restore, is now. */
  async startAfter(org_id: string, after: number | undefined): Promise<Start> {
    const head = await this.heads.add(org_id);
    return { head, position: Math.min(after ?? head, head) };
  }

  /** Tells the feed on a response whose head has been sent, until one of both ends it. */
  tell(response: ServerResponse, { by, recognise, filter, start }: FeedAsk): void {
    const { org_id } = by;
    const stream = this.options.streams.open(response, { by, recognise, position: start.position });
    const reader = new FeedReader(stream, filter);
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

  private sourceOf(org_id: string): TailSource {
    const { engine, bell, lookMs } = this.options;
    return {
      read: (walk) => engine.feedPage(org_id, walk),
      readBehind: (walk) => this.turnstile.pass(() => engine.feedPage(org_id, walk)),
      rings: () => bell.rings(org_id, FEED),
      // Not all orgs at the same moment.
      heard: (rings, signal) =>
        bell.heard(org_id, FEED, { rings, ms: lookMs * (0.75 + Math.random() / 2), signal }),
      onFault: (error) => {
        this.complain(error);
      },
    };
  }

  /** Every org meets the same fault again and again while it lasts. */
  private complain(error: unknown): void {
    if (Date.now() - this.complainedAt < COMPLAINS_EVERY_MS) return;
    this.complainedAt = Date.now();
    this.options.log.warn({ err: error }, "the feed cannot be read; it is looked at again until it can");
  }
}
