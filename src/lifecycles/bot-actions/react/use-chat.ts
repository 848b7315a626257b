import { useMemo } from "react";
import type { Calls } from "../../../client/index.ts";
import { useClient, useFeed } from "../../../react/index.ts";
import type { LiveFeed } from "../../../react/index.ts";
import type { BOT_ACTIONS_ROUTES } from "../api.ts";
import type { ChatEvent } from "../bot-action.ts";
import { ROWS } from "../rows.ts";

/** One chat; the workspace is `main` by default. */
export type Chat = { workspaceId?: string | undefined; chatId: string };

/** Returns the calls of chats, and the stream of this chat, which all hooks share. */
export function useChat({ workspaceId, chatId }: Chat): {
  key: string;
  calls: Calls<typeof BOT_ACTIONS_ROUTES>;
  feed: LiveFeed<ChatEvent>;
} {
  const key = JSON.stringify([workspaceId ?? "main", chatId]);
  const client = useClient();
  const calls = useMemo(() => client.calls<typeof BOT_ACTIONS_ROUTES>(ROWS), [client]);
  const feed = useFeed(`chat ${key}`, (reader, options) =>
    reader.calls<typeof BOT_ACTIONS_ROUTES>(ROWS).streamChatEvents({ workspaceId, chatId }, options),
  );
  return { key, calls, feed };
}
