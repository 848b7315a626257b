import type { BotAction } from "../bot-action.ts";
import { afterHearing, busyActions } from "./busy-actions.ts";
import { useChat } from "./use-chat.ts";
import type { Chat } from "./use-chat.ts";
import { useLiveOn } from "../../../react/index.ts";
import type { Live } from "../../../react/index.ts";

export type LiveBotActions = Omit<Live<unknown>, "data"> & {
  /** What bots are busy with, the one that was heard of last first. */
  actions: readonly BotAction[];
};

/** What bots are busy with in a chat: asked for at first and on every connection, and kept up to date by events. */
export function useBotActions({ workspaceId, chatId }: Chat): LiveBotActions {
  const chat = { workspaceId, chatId };
  const { key, calls, feed } = useChat(chat);
  const { data, ...known } = useLiveOn(feed, `busy ${key}`, () => ({
    ask: async (signal) => busyActions((await calls.listBotActions(chat, { signal })).actions),
    concerns: ({ type }) => type === "bot_action",
    fold: (actions: readonly BotAction[], event) =>
      event.type === "bot_action" ? afterHearing(actions, event.action) : actions,
  }));
  return { ...known, actions: data ?? NONE };
}

/** The same one each time: who compares sees no change. */
const NONE: readonly never[] = [];
