import type { Actor } from "../../core/index.ts";
import type { TailPage } from "../../plugin/index.ts";
import { chatEventOf } from "./bot-action-on-wire.ts";
import { mayRead } from "./readers.ts";
import type { Readers } from "./readers.ts";
import type { ChatRow } from "./sql/read-chat-page.ts";

type RenderedEvent = { position: number; text: string };

/** Identifies a chat. */
export type Chat = { project_id: string; chat_id: string };

/** A page of the feed, grouped by chat. Each event is serialized once, and sent only to the readers of its chat. */
export class ChatPage implements TailPage {
  readonly after: number;
  readonly last: number;
  readonly size: number;
  private readonly chats = new Map<string, RenderedEvent[]>();
  private readonly readers = new Map<string, Readers>();
  private readonly cache = new Map<string, Buffer>();

  constructor({ after, last, events }: { after: number; last: number; events: readonly ChatRow[] }) {
    this.after = after;
    this.last = last;
    this.size = events.length;
    for (const row of events) {
      const key = keyOfChat(row);
      this.readers.set(key, row.readers);
      if (row.restricts) continue;
      const event = { position: row.position, text: renderEvent(row) };
      const earlier = this.chats.get(key);
      if (earlier) earlier.push(event);
      else this.chats.set(key, [event]);
    }
  }

  /** Returns the events of a chat after a position, or null if there are none. */
  bytesFor(chat: string, position: number): Buffer | null {
    const events = this.chats.get(chat);
    if (!events) return null;
    if (position > this.after) return joinEvents(events.filter((event) => event.position > position));
    const bytes = this.cache.get(chat) ?? joinEvents(events);
    if (bytes) this.cache.set(chat, bytes);
    return bytes;
  }

  /** Whether the list of the chat's readers, when this page was read, includes a member. Unknown if the page has no event of the chat. */
  admits(chat: string, actor: Pick<Actor, "id">): boolean {
    return mayRead(actor, this.readers.get(chat));
  }

  dropCache(): void {
    this.cache.clear();
  }
}

export function keyOfChat({ project_id, chat_id }: Chat): string {
  return JSON.stringify([project_id, chat_id]);
}

function renderEvent(row: ChatRow): string {
  return `id: ${row.position}\ndata: ${JSON.stringify(chatEventOf(row))}\n\n`;
}

function joinEvents(events: readonly RenderedEvent[]): Buffer | null {
  return events.length === 0 ? null : Buffer.from(events.map(({ text }) => text).join(""));
}
