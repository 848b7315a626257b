import type { ServerResponse } from "node:http";
import type { FastifyBaseLogger } from "fastify";
import { SharedLookup } from "../../std/shared-lookup.ts";
import type { Caller, Engine } from "../../engine/index.ts";
import type { OrgSignal } from "./org-signal.ts";
import type { EventStream, Identify } from "./event-stream.ts";
import { FeedTail } from "./feed-tail.ts";
import type { FeedPart, TailPage, TailReader, TailSource, Walk } from "./feed-tail.ts";
import type { OpenStreams } from "./open-streams.ts";
import { Semaphore } from "./semaphore.ts";

/** Shared by the live feeds of a node. */
export type StreamDeps = {
  engine: Engine;
  orgSignal: OrgSignal;
  streams: OpenStreams;
  stopping: AbortSignal;
  log: FastifyBaseLogger;
  /** Poll interval, because notifications from other nodes can be lost; default 1 s. */
  pollMs?: number;
};

/** Defines a feed: of tasks, or of a plugin. */
export type FeedKind<Event, Page extends TailPage, Reader extends TailReader<Page>, Filter> = {
  /** The name of its signal; must not be that of a lifecycle. */
  signalName: string;
  readerOf: (stream: EventStream, filter: Filter) => Reader;
  /** Reads a page of an org's feed: for all readers, or for one. */
  read: (org_id: string, walk: Walk, reader: Reader | null) => Promise<FeedPart<Event>>;
  /** Prepares events for sending, once for all readers. */
  pageOf: TailSource<Event, Page, Reader>["pageOf"];
};

/** Opens a feed, such as one of a plugin. */
export type OpenFeed = <Event, Page extends TailPage, Reader extends TailReader<Page>, Filter>(
  kind: FeedKind<Event, Page, Reader, Filter>,
) => LiveFeed<Event, Page, Reader, Filter>;

/** The reader's first position, and the end of the feed at that moment. */
export type Start = { position: number; head: number };

export type FeedRequest<Filter> = { caller: Caller; identify: Identify; filter: Filter; start: Start };

/** Database connections shared by all readers that are behind. */
const MAX_CONCURRENT_READS = 2;

const FAULT_LOG_INTERVAL_MS = 10_000;

/** A live feed on this node: one tail for each org that has readers. */
export class LiveFeed<Event, Page extends TailPage, Reader extends TailReader<Page>, Filter> {
  private readonly deps: Required<StreamDeps>;
  private readonly kind: FeedKind<Event, Page, Reader, Filter>;
  private readonly tails = new Map<string, FeedTail<Event, Page, Reader>>();
  private faultLoggedAt = 0;
  private readonly semaphore = new Semaphore(MAX_CONCURRENT_READS);
  /** Requests during a look-up share the next one. */
  private readonly heads: SharedLookup<string, number>;

  constructor(deps: StreamDeps, kind: FeedKind<Event, Page, Reader, Filter>) {
    this.deps = { pollMs: 1_000, ...deps };
    this.kind = kind;
    const { engine, orgSignal, stopping } = deps;
    const forget = engine.commits.onCommitted((org_id) => {
      orgSignal.notify(org_id, kind.signalName);
    });
    stopping.addEventListener("abort", forget);
    this.heads = new SharedLookup(async (orgs) => {
      const heads = new Map<string, Promise<number>>();
      for (const org_id of orgs) if (!heads.has(org_id)) heads.set(org_id, engine.feedPosition(org_id));
      return Promise.all(orgs.map((org_id) => heads.get(org_id) as Promise<number>));
    });
  }

  /** Returns the start after a position; default the end of the feed. A position beyond the end, as after a restore, means the end. */
  async startAfter(org_id: string, after: number | undefined): Promise<Start> {
    const head = await this.heads.add(org_id);
    return { head, position: Math.min(after ?? head, head) };
  }

  /** Streams the feed to a response whose headers have been sent, until either side ends it. */
  start(response: ServerResponse, { caller, identify, filter, start }: FeedRequest<Filter>): void {
    const { org_id } = caller;
    const stream = this.deps.streams.open(response, { caller, identify, position: start.position });
    const reader = this.kind.readerOf(stream, filter);
    const tail = this.tails.get(org_id) ?? new FeedTail(start.head, this.sourceOf(org_id));
    this.tails.set(org_id, tail);
    tail.add(reader, start.head);
    stream.onClosed(() => {
      tail.remove(reader);
      if (!tail.isEmpty) return;
      tail.stop();
      if (this.tails.get(org_id) === tail) this.tails.delete(org_id);
    });
  }

  private sourceOf(org_id: string): TailSource<Event, Page, Reader> {
    const { orgSignal, pollMs } = this.deps;
    const { read, pageOf, signalName } = this.kind;
    return {
      read: (walk) => read(org_id, walk, null),
      readCatchUp: (walk, reader) => this.semaphore.run(() => read(org_id, walk, reader)),
      pageOf,
      signalCount: () => orgSignal.count(org_id, signalName),
      // Jitter, so that the orgs do not poll together.
      waitForSignal: (count, signal) =>
        orgSignal.wait(org_id, signalName, { count, ms: pollMs * (0.75 + Math.random() / 2), signal }),
      onFault: (error) => {
        this.logFault(error);
      },
    };
  }

  /** Logs at most once per interval: each poll of each org fails while the fault lasts. */
  private logFault(error: unknown): void {
    if (Date.now() - this.faultLoggedAt < FAULT_LOG_INTERVAL_MS) return;
    this.faultLoggedAt = Date.now();
    this.deps.log.warn({ err: error }, "reading the feed failed; retrying until it succeeds");
  }
}
