import { visibleProjects } from "../../plugin/index.ts";
import type { Engine, EventStream, FeedKind } from "../../plugin/index.ts";
import { ChatPage, keyOfChat } from "./chat-page.ts";
import type { Chat } from "./chat-page.ts";
import { readChatPage } from "./sql/read-chat-page.ts";
import type { ChatRow } from "./sql/read-chat-page.ts";

/** The feed of all chats of an org; the chats share one tail of the org's feed. */
export function chatFeed(engine: Engine): FeedKind<ChatRow, ChatPage, ChatReader, Chat> {
  return {
    // Starts with a space, which no name of a lifecycle does.
    signalName: " chats",
    readerOf: (stream, chat) => new ChatReader(stream, chat),
    read: (org_id, walk, reader) =>
      engine.transaction((tx) => readChatPage(tx, org_id, { ...walk, chat: reader?.chat ?? null })),
    pageOf: (read) => new ChatPage(read),
  };
}

/** A reader of one chat. */
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
    if (!page.admits(this.key, stream.caller.actor)) {
      // The client reconnects, and gets the same 404 as any other member that is not on the list.
      stream.dismiss();
      return false;
    }
    if (!bytes || !this.maySee) return false;
    stream.send(bytes);
    return true;
  }

  /** Checked for every page: a member can lose access to the project while the stream is open. */
  private get maySee(): boolean {
    return visibleProjects(this.stream.caller.actor, this.chat.project_id)?.length !== 0;
  }
}
