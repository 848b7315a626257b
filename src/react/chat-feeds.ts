import type { ChatEvent } from "../api/index.ts";
import type { AnyClient } from "../client/create-client.ts";
import { LiveFeed } from "./live-feed.ts";

/** Which chat; without a workspace, `main` is meant. */
export type Chat = { workspaceId?: string | undefined; chatId: string };

/** One stream for each chat that is shown, whatever is shown of it. */
export class ChatFeeds {
  private readonly calls: AnyClient["chats"];
  private readonly feeds = new Map<string, LiveFeed<ChatEvent>>();

  constructor(calls: AnyClient["chats"]) {
    this.calls = calls;
  }

  of(chat: Chat): LiveFeed<ChatEvent> {
    const key = keyOfChat(chat);
    let feed = this.feeds.get(key);
    if (!feed) {
      const { workspaceId, chatId } = chat;
      feed = new LiveFeed((options) => this.calls.streamChatEvents({ workspaceId, chatId }, options));
      this.feeds.set(key, feed);
    }
    return feed;
  }
}

export function keyOfChat({ workspaceId = "main", chatId }: Chat): string {
  return JSON.stringify([workspaceId, chatId]);
}
