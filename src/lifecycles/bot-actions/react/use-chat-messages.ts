import { useCallback } from "react";
import type { ChatMessage } from "../bot-action.ts";
import { useChat } from "./use-chat.ts";
import type { Chat } from "./use-chat.ts";
import { useLiveOn } from "../../../react/index.ts";
import type { Live } from "../../../react/index.ts";

export type LiveChatMessages = Omit<Live<unknown>, "data"> & {
  /** The newest ones, oldest first. */
  messages: readonly ChatMessage[];
  /** Sends a message; rejects with a `PawlProblem` if it is refused. */
  say: (text: string) => Promise<ChatMessage>;
};

/** Returns the messages of a chat, updated by events. Shares the stream of `useBotActions`. */
export function useChatMessages({ workspaceId, chatId }: Chat): LiveChatMessages {
  const chat = { workspaceId, chatId };
  const { key, calls, feed } = useChat(chat);
  const { data, ...state } = useLiveOn(feed, `messages ${key}`, () => ({
    ask: async (signal) => (await calls.listChatMessages(chat, { signal })).messages,
    concerns: ({ type }) => type === "message",
    fold: (messages: readonly ChatMessage[], event) =>
      event.type !== "message" || messages.some(({ id }) => id === event.message.id)
        ? messages
        : [...messages, event.message],
  }));
  const say = useCallback(
    async (text: string) => (await calls.sayInChat({ workspaceId, chatId, text })).message,
    [calls, workspaceId, chatId],
  );
  return { ...state, messages: data ?? NONE, say };
}

const NONE: readonly never[] = [];
