import type { Engine, FeedEvent } from "../../engine/index.ts";
import { FeedReader } from "./feed-reader.ts";
import type { FeedKind, LiveFeed } from "./live-feed.ts";
import { ToldPage } from "./rendered-page.ts";
import type { FeedFilter } from "./rendered-page.ts";

export type TaskFeed = LiveFeed<FeedEvent, ToldPage, FeedReader, FeedFilter>;

/** The feed of tasks. */
export function taskFeed(engine: Engine): FeedKind<FeedEvent, ToldPage, FeedReader, FeedFilter> {
  return {
    // A lifecycle has a name: the bell of none of them is the feed's.
    bellName: "",
    readerOf: (stream, filter) => new FeedReader(stream, filter),
    read: (org_id, walk, reader) => engine.feedPage(org_id, { ...walk, ...reader?.scope }),
    pageOf: (read) => new ToldPage(read),
  };
}
