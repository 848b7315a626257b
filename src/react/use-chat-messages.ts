import { useCallback } from "react";
import type { ChatMessage } from "../api/index.ts";
import { keyOfChat } from "./chat-feeds.ts";
import type { Chat } from "./chat-feeds.ts";
import { useLiveOn, usePawl } from "./provider.ts";
import type { Live } from "./provider.ts";

export type LiveChatMessages = Omit<Live<unknown>, "data"> & {
  /** The newest ones, oldest first. */
  messages: readonly ChatMessage[];
  /** Says something; rejects with a `PawlProblem` where that is refused. */
  say: (text: string) => Promise<ChatMessage>;
};

/** What is said in a chat, kept up to date; it shares the stream of `useBotActions`. */
export function useChatMessages({ workspaceId, chatId }: Chat): LiveChatMessages {
  const { client, chats } = usePawl();
  const chat = { workspaceId, chatId };
  const { data, ...known } = useLiveOn(chats.of(chat), `said ${keyOfChat(chat)}`, () => ({
    ask: async (signal) => (await client.chats.listChatMessages(chat, { signal })).messages,
    concerns: ({ type }) => type === "message",
    fold: (messages: readonly ChatMessage[], event) =>
      event.type !== "message" || messages.some(({ id }) => id === event.message.id)
        ? messages
        : [...messages, event.message],
  }));
  const say = useCallback(
    async (text: string) => (await client.chats.sayInChat({ workspaceId, chatId, text })).message,
    [client, workspaceId, chatId],
  );
  return { ...known, messages: data ?? NONE, say };
}

const NONE: readonly never[] = [];
