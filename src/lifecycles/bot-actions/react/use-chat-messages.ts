import { useCallback } from "react";
import type { ChatMessage } from "../bot-action.ts";
import { useChat } from "./use-chat.ts";
import type { Chat } from "./use-chat.ts";
import { useLiveOn } from "../../../react/index.ts";
import type { Live } from "../../../react/index.ts";

export type LiveChatMessages = Omit<Live<unknown>, "data"> & {
  /** The newest ones, oldest first. */
  messages: readonly ChatMessage[];
  /** Says something; rejects with a `PawlProblem` where that is refused. */
  say: (text: string) => Promise<ChatMessage>;
};

/** What is said in a chat, kept up to date; it shares the stream of `useBotActions`. */
export function useChatMessages({ workspaceId, chatId }: Chat): LiveChatMessages {
  const chat = { workspaceId, chatId };
  const { key, calls, feed } = useChat(chat);
  const { data, ...known } = useLiveOn(feed, `said ${key}`, () => ({
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
  return { ...known, messages: data ?? NONE, say };
}

const NONE: readonly never[] = [];
