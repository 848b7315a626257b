import { feedEventOnWire } from "../../api/index.ts";
import { canSee } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import type { FeedEvent } from "../../engine/index.ts";

export type FeedFilter = { lifecycle: string | null; project_id: string | null; task_id: string | null };

/** The filter and permissions of a reader. Readers with the same `key` see the same, except private tasks. */
export type View = FeedFilter & { actor: Actor; key: string; privateKey: string };

export function viewOf(actor: Actor, filter: FeedFilter): View {
  const { lifecycle, project_id, task_id } = filter;
  const seen = [lifecycle, project_id, task_id, actor.project_ids];
  return {
    ...filter,
    actor,
    key: JSON.stringify([null, ...seen]),
    privateKey: JSON.stringify([actor.id, ...seen]),
  };
}

/** A page of the feed, ready to send: each event is serialized once, and readers with the same view share the same bytes. */
export class RenderedPage {
  /** The page has the events after this position, up to and including `last`. */
  readonly after: number;
  readonly last: number;
  private readonly events: readonly FeedEvent[];
  private readonly texts: string[] = [];
  /** Members that see a private or restricted task on this page. */
  private readonly privateReaders: ReadonlySet<string | null>;
  private readonly cache = new Map<string, Buffer | null>();
  private cacheDropped = false;

  constructor({ after, last, events }: { after: number; last: number; events: readonly FeedEvent[] }) {
    this.after = after;
    this.last = last;
    this.events = events;
    const hidden = events.filter((event) => event.private || event.readers !== null);
    this.privateReaders = new Set(
      hidden.flatMap(({ created_by, assigned_to, readers }) => [created_by, assigned_to, ...(readers ?? [])]),
    );
  }

  /** The number of events, visible or not. */
  get size(): number {
    return this.events.length;
  }

  /** Returns the events after a position that a view includes; null if there are none. */
  bytesFor(view: View, position: number): Buffer | null {
    if (position > this.after || this.cacheDropped) return this.render(view, position);
    const key = this.privateReaders.has(view.actor.id) ? view.privateKey : view.key;
    let bytes = this.cache.get(key);
    if (bytes === undefined) this.cache.set(key, (bytes = this.render(view, position)));
    return bytes;
  }

  /** Frees the shared bytes: most readers have them, and for later ones the page is rendered again. */
  dropCache(): void {
    this.cacheDropped = true;
    this.cache.clear();
  }

  private render(view: View, position: number): Buffer | null {
    let text = "";
    for (const [index, event] of this.events.entries())
      if (event.position > position && sees(view, event)) text += this.texts[index] ??= textOf(event);
    return text === "" ? null : Buffer.from(text);
  }
}

function sees({ lifecycle, project_id, task_id, actor }: View, event: FeedEvent): boolean {
  if (task_id !== null && event.task_id !== task_id) return false;
  if (lifecycle !== null && event.lifecycle !== lifecycle) return false;
  if (project_id !== null && event.project_id !== project_id) return false;
  return canSee(actor, event);
}

function textOf(event: FeedEvent): string {
  return `id: ${event.position}\ndata: ${JSON.stringify(feedEventOnWire(event))}\n\n`;
}
