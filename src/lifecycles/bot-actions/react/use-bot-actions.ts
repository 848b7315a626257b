import { useEffect, useMemo, useState } from "react";
import type { BotAction } from "../bot-action.ts";
import { applyActionEvent, applyFetchedActions } from "./busy-actions.ts";
import type { VisibleAction } from "./busy-actions.ts";
import { useChat } from "./use-chat.ts";
import type { Chat } from "./use-chat.ts";
import { useLiveOn } from "../../../react/index.ts";
import type { Live } from "../../../react/index.ts";

export type LiveBotActions = Omit<Live<unknown>, "data"> & {
  /** The processing actions, last updated first; then those that finished in the last 1.8 seconds. */
  actions: readonly BotAction[];
};

/** Returns the bot actions of a chat: fetched on mount and after every reconnect, and updated by events. */
export function useBotActions({ workspaceId, chatId }: Chat): LiveBotActions {
  const chat = { workspaceId, chatId };
  const { key, calls, feed } = useChat(chat);
  const { data, ...state } = useLiveOn(feed, `busy ${key}`, () => ({
    ask: async (signal): Promise<readonly VisibleAction[]> =>
      applyFetchedActions(NONE, (await calls.listBotActions(chat, { signal })).actions, Date.now()),
    merge: (fetched, shown) =>
      applyFetchedActions(
        shown,
        fetched.map(({ action }) => action),
        Date.now(),
      ),
    concerns: ({ type }) => type === "bot_action",
    fold: (actions: readonly VisibleAction[], event) =>
      event.type === "bot_action" ? applyActionEvent(actions, event.action, Date.now()) : actions,
  }));
  return { ...state, actions: useUnexpired(data ?? NONE) };
}

/** Returns the actions without the expired confirmations, and renders again when the next one expires. */
function useUnexpired(visible: readonly VisibleAction[]): readonly BotAction[] {
  const [now, setNow] = useState(Date.now);
  const next = Math.min(...visible.map(({ until }) => (until !== null && until > now ? until : Infinity)));
  useEffect(() => {
    if (next === Infinity) return undefined;
    const timer = setTimeout(
      () => {
        setNow(next);
      },
      Math.max(0, next - Date.now()),
    );
    return () => {
      clearTimeout(timer);
    };
  }, [next]);
  return useMemo(
    () => visible.filter(({ until }) => until === null || until > now).map(({ action }) => action),
    [visible, now],
  );
}

/** One constant, so that consecutive renders get the same reference. */
const NONE: readonly never[] = [];
