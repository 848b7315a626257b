import { visibleProjects } from "../../engine/index.ts";
import type { Caller, FeedWalk } from "../../engine/index.ts";
import type { EventStream } from "./event-stream.ts";
import type { Walk } from "./feed-tail.ts";
import { viewOf } from "./rendered-page.ts";
import type { FeedFilter, RenderedPage, View } from "./rendered-page.ts";

/** A reader of an org's feed. */
export class FeedReader {
  readonly stream: EventStream;
  private readonly filter: FeedFilter;
  private seen: { caller: Caller; view: View } | null = null;

  constructor(stream: EventStream, filter: FeedFilter) {
    this.stream = stream;
    this.filter = filter;
  }

  /** Sends the events of a page that are new to this reader and visible to it. */
  take(page: RenderedPage): boolean {
    const { stream } = this;
    if (page.last <= stream.position) return false;
    const bytes = page.bytesFor(this.view, stream.position);
    stream.position = page.last;
    if (bytes) stream.send(bytes);
    return bytes !== null;
  }

  /** The part of the feed that this reader may see. */
  get scope(): Omit<FeedWalk, keyof Walk> {
    const { lifecycle, project_id, task_id } = this.filter;
    return { task_id, lifecycle, projects: visibleProjects(this.stream.caller.actor, project_id) };
  }

  /** Recomputed after the member was authenticated again. */
  private get view(): View {
    const { caller } = this.stream;
    if (this.seen?.caller !== caller) this.seen = { caller, view: viewOf(caller.actor, this.filter) };
    return this.seen.view;
  }
}
