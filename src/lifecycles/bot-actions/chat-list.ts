import { onWire } from "../../api/index.ts";
import type { Caller, Engine } from "../../plugin/index.ts";
import { botActionOf } from "./bot-action-on-wire.ts";
import type { ListedChat } from "./bot-action.ts";
import { listProcessing, listRecentChats } from "./sql/list-chats.ts";

/** Events that one page reads. */
const MAX_EVENTS = 5_000;
const MAX_CHATS = 200;
const MAX_PROCESSING = 1_000;

type ChatListQuery = { workspaceId: string; before?: number | undefined };

/**
 * Lists the chats that the caller may read, last active first. Later pages continue at an earlier position of the feed, so they
 * may name a chat again that an earlier page has listed.
 */
export async function listChats(
  engine: Engine,
  { org_id, actor }: Caller,
  { workspaceId, before }: ChatListQuery,
): Promise<{ chats: ListedChat[]; next: number | null }> {
  const scope = { project_id: workspaceId, reader: actor.id };
  const [recent, processing] = await engine.transaction(async (tx) => [
    await listRecentChats(tx, org_id, { ...scope, before: before ?? null, scan: MAX_EVENTS }),
    await listProcessing(tx, org_id, { ...scope, limit: MAX_PROCESSING }),
  ]);
  const kept = recent.chats.slice(0, MAX_CHATS);
  const chats = new Map<string, ListedChat>(
    kept.map(({ chat_id: chatId, restricted, last_at }) => [
      chatId,
      { workspaceId, chatId, restricted, processing: 0, action: null, lastActivityAt: onWire(last_at) },
    ]),
  );
  for (const row of processing) {
    const action = botActionOf(row);
    const lastActivityAt = onWire(row.updated_at);
    const listed = chats.get(action.chatId);
    // The first page also has chats whose action has been running for longer than the page reaches back.
    if (!listed && before !== undefined) continue;
    chats.set(action.chatId, {
      workspaceId,
      chatId: action.chatId,
      restricted: row.readers !== null,
      processing: (listed?.processing ?? 0) + 1,
      action: listed?.action ?? action,
      lastActivityAt:
        listed && listed.lastActivityAt > lastActivityAt ? listed.lastActivityAt : lastActivityAt,
    });
  }
  const next = kept.length < recent.chats.length ? (kept.at(-1)?.position ?? null) : recent.oldest;
  return {
    chats: [...chats.values()].sort((one, other) => (one.lastActivityAt < other.lastActivityAt ? 1 : -1)),
    next,
  };
}
