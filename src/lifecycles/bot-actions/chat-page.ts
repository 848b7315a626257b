import type { TailPage } from "../../plugin/index.ts";
import { chatEventOf } from "./bot-action-on-wire.ts";
import type { ChatRow } from "./sql/read-chat-page.ts";

type Told = { position: number; text: string };

/** A chat is known by its workspace and its name there. */
export type Chat = { project_id: string; chat_id: string };

/** A piece of the feed, sorted by chat: each event is written once, and of ten thousand readers only its chat's get it. */
export class ChatPage implements TailPage {
  readonly after: number;
  readonly last: number;
  readonly size: number;
  private readonly chats = new Map<string, Told[]>();
  private readonly written = new Map<string, Buffer>();

  constructor({ after, last, events }: { after: number; last: number; events: readonly ChatRow[] }) {
    this.after = after;
    this.last = last;
    this.size = events.length;
    for (const row of events) {
      const key = keyOfChat(row);
      const told = { position: row.position, text: textOf(row) };
      const before = this.chats.get(key);
      if (before) before.push(told);
      else this.chats.set(key, [told]);
    }
  }

  /** What is new here for one who has read his chat up to a position; null where there is nothing. */
  bytesFor(chat: string, position: number): Buffer | null {
    const told = this.chats.get(chat);
    if (!told) return null;
    if (position > this.after) return bytesOf(told.filter((event) => event.position > position));
    const known = this.written.get(chat) ?? bytesOf(told);
    if (known) this.written.set(chat, known);
    return known;
  }

  fold(): void {
    this.written.clear();
  }
}

export function keyOfChat({ project_id, chat_id }: Chat): string {
  return JSON.stringify([project_id, chat_id]);
}

function textOf(row: ChatRow): string {
  return `id: ${row.position}\ndata: ${JSON.stringify(chatEventOf(row))}\n\n`;
}

function bytesOf(told: readonly Told[]): Buffer | null {
  return told.length === 0 ? null : Buffer.from(told.map(({ text }) => text).join(""));
}
