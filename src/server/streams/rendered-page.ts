import { feedEventOnWire } from "../../api/index.ts";
import { canSee } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import type { FeedEvent } from "../../engine/index.ts";

export type FeedFilter = { lifecycle: string | null; project_id: string | null; task_id: string | null };

/** What somebody may and wants to see. Whoever has the same `key` sees the same, but for what is private. */
export type View = FeedFilter & { actor: Actor; key: string; keyOfHisOwn: string };

export function viewOf(actor: Actor, filter: FeedFilter): View {
  const { lifecycle, project_id, task_id } = filter;
  const seen = [lifecycle, project_id, task_id, actor.project_ids];
  return {
    ...filter,
    actor,
    key: JSON.stringify([null, ...seen]),
    keyOfHisOwn: JSON.stringify([actor.id, ...seen]),
  };
}

/** A piece of the feed as it is told: each event is written once, and the same bytes go to all who see the same of it. */
export class ToldPage {
  /** What is after this position, up to and with `last`, is told here. */
  readonly after: number;
  readonly last: number;
  private readonly events: readonly FeedEvent[];
  private readonly texts: string[] = [];
  /** Those who see something here that is private. */
  private readonly seers: ReadonlySet<string | null>;
  private readonly written = new Map<string, Buffer | null>();
  private folded = false;

  constructor({ after, last, events }: { after: number; last: number; events: readonly FeedEvent[] }) {
    this.after = after;
    this.last = last;
    this.events = events;
    const secrets = events.filter((event) => event.private);
    this.seers = new Set(secrets.flatMap(({ created_by, assigned_to }) => [created_by, assigned_to]));
  }

  /** How many events there are, whoever may see them. */
  get size(): number {
    return this.events.length;
  }

  /** What is new here for one who has read up to a position; null where there is nothing. */
  bytesFor(view: View, position: number): Buffer | null {
    if (position > this.after || this.folded) return this.write(view, position);
    const key = this.seers.has(view.actor.id) ? view.keyOfHisOwn : view.key;
    let bytes = this.written.get(key);
    if (bytes === undefined) this.written.set(key, (bytes = this.write(view, position)));
    return bytes;
  }

  /** Keeps the events alone: most have been told, and whoever comes now has it written for him. */
  fold(): void {
    this.folded = true;
    this.written.clear();
  }

  private write(view: View, position: number): Buffer | null {
    let text = "";
    for (const [place, event] of this.events.entries())
      if (event.position > position && sees(view, event)) text += this.texts[place] ??= textOf(event);
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
