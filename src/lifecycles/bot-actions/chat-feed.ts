import { visibleProjects } from "../../plugin/index.ts";
import type { Engine, EventStream, FeedKind } from "../../plugin/index.ts";
import { ChatPage, keyOfChat } from "./chat-page.ts";
import type { Chat } from "./chat-page.ts";
import { readChatPage } from "./sql/read-chat-page.ts";
import type { ChatRow } from "./sql/read-chat-page.ts";

/** What is told of chats: one tail of the org's feed for all of them. */
export function chatFeed(engine: Engine): FeedKind<ChatRow, ChatPage, ChatReader, Chat> {
  return {
    // No lifecycle's name begins with a blank.
    bellName: " chats",
    readerOf: (stream, chat) => new ChatReader(stream, chat),
    read: (org_id, walk, reader) =>
      engine.transaction((tx) => readChatPage(tx, org_id, { ...walk, chat: reader?.chat ?? null })),
    pageOf: (read) => new ChatPage(read),
  };
}

/** One who reads a chat. */
class ChatReader {
  readonly stream: EventStream;
  readonly chat: Chat;
  private readonly key: string;

  constructor(stream: EventStream, chat: Chat) {
    this.stream = stream;
    this.chat = chat;
    this.key = keyOfChat(chat);
  }

  take(page: ChatPage): boolean {
    const { stream } = this;
    if (page.last <= stream.position) return false;
    const bytes = page.bytesFor(this.key, stream.position);
    stream.position = page.last;
    if (!bytes || !this.maySee) return false;
    stream.send(bytes);
    return true;
  }

  /** Asked each time: a member may lose a project while he reads. */
  private get maySee(): boolean {
    return visibleProjects(this.stream.by.actor, this.chat.project_id)?.length !== 0;
  }
}
