import { visibleProjects } from "../../engine/index.ts";
import type { By, FeedWalk } from "../../engine/index.ts";
import type { EventStream } from "./event-stream.ts";
import type { Walk } from "./feed-tail.ts";
import { viewOf } from "./rendered-page.ts";
import type { FeedFilter, ToldPage, View } from "./rendered-page.ts";

/** One who reads an org's feed. */
export class FeedReader {
  readonly stream: EventStream;
  private readonly filter: FeedFilter;
  private seen: { by: By; view: View } | null = null;

  constructor(stream: EventStream, filter: FeedFilter) {
    this.stream = stream;
    this.filter = filter;
  }

  /** Sends what is his and new to him. */
  take(page: ToldPage): boolean {
    const { stream } = this;
    if (page.last <= stream.position) return false;
    const bytes = page.bytesFor(this.view, stream.position);
    stream.position = page.last;
    if (bytes) stream.send(bytes);
    return bytes !== null;
  }

  /** What of the feed can be his. */
  get scope(): Omit<FeedWalk, keyof Walk> {
    const { lifecycle, project_id, task_id } = this.filter;
    return { task_id, lifecycle, projects: visibleProjects(this.stream.by.actor, project_id) };
  }

  /** Made anew when the member has been looked up again. */
  private get view(): View {
    const { by } = this.stream;
    if (this.seen?.by !== by) this.seen = { by, view: viewOf(by.actor, this.filter) };
    return this.seen.view;
  }
}
