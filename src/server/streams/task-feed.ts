import type { Engine, FeedEvent } from "../../engine/index.ts";
import { FeedReader } from "./feed-reader.ts";
import type { FeedKind, LiveFeed } from "./live-feed.ts";
import { RenderedPage } from "./rendered-page.ts";
import type { FeedFilter } from "./rendered-page.ts";

export type TaskFeed = LiveFeed<FeedEvent, RenderedPage, FeedReader, FeedFilter>;

/** The feed of tasks. */
export function taskFeed(engine: Engine): FeedKind<FeedEvent, RenderedPage, FeedReader, FeedFilter> {
  return {
    // Empty, because no lifecycle has an empty name.
    signalName: "",
    readerOf: (stream, filter) => new FeedReader(stream, filter),
    read: (org_id, walk, reader) => engine.feedPage(org_id, { ...walk, ...reader?.scope }),
    pageOf: (read) => new RenderedPage(read),
  };
}
