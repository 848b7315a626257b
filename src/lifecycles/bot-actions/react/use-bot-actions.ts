import type { BotAction } from "../bot-action.ts";
import { applyActionEvent, busyActions } from "./busy-actions.ts";
import { useChat } from "./use-chat.ts";
import type { Chat } from "./use-chat.ts";
import { useLiveOn } from "../../../react/index.ts";
import type { Live } from "../../../react/index.ts";

export type LiveBotActions = Omit<Live<unknown>, "data"> & {
  /** The processing actions, last updated first. */
  actions: readonly BotAction[];
};

/** Returns the processing bot actions of a chat: fetched on mount and after every reconnect, and updated by events. */
export function useBotActions({ workspaceId, chatId }: Chat): LiveBotActions {
  const chat = { workspaceId, chatId };
  const { key, calls, feed } = useChat(chat);
  const { data, ...state } = useLiveOn(feed, `busy ${key}`, () => ({
    ask: async (signal) => busyActions((await calls.listBotActions(chat, { signal })).actions),
    concerns: ({ type }) => type === "bot_action",
    fold: (actions: readonly BotAction[], event) =>
      event.type === "bot_action" ? applyActionEvent(actions, event.action) : actions,
  }));
  return { ...state, actions: data ?? NONE };
}

/** One constant, so that consecutive renders get the same reference. */
const NONE: readonly never[] = [];
