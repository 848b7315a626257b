import type { BotAction } from "../api/index.ts";
import { afterHearing, busyActions } from "./busy-actions.ts";
import { keyOfChat } from "./chat-feeds.ts";
import type { Chat } from "./chat-feeds.ts";
import { useLiveOn, usePawl } from "./provider.ts";
import type { Live } from "./provider.ts";

export type LiveBotActions = Omit<Live<unknown>, "data"> & {
  /** What bots are busy with, the one that was heard of last first. */
  actions: readonly BotAction[];
};

/** What bots are busy with in a chat: asked for at first and on every connection, and kept up to date by events. */
export function useBotActions({ workspaceId, chatId }: Chat): LiveBotActions {
  const { client, chats } = usePawl();
  const chat = { workspaceId, chatId };
  const { data, ...known } = useLiveOn(chats.of(chat), `busy ${keyOfChat(chat)}`, () => ({
    ask: async (signal) => busyActions((await client.chats.listBotActions(chat, { signal })).actions),
    concerns: ({ type }) => type === "bot_action",
    fold: (actions: readonly BotAction[], event) =>
      event.type === "bot_action" ? afterHearing(actions, event.action) : actions,
  }));
  return { ...known, actions: data ?? NONE };
}

/** The same one each time: who compares sees no change. */
const NONE: readonly never[] = [];
