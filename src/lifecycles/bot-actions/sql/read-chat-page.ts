import type { Instant, JsonObject } from "../../../core/index.ts";
import { READERS_CHANGED, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

/** One event of a chat: a change of an action, or a message. */
export type ChatRow = {
  position: number;
  project_id: string;
  chat_id: string;
  status: string;
  created_at: Instant;
  /** The action's data at this event. */
  patch_data: JsonObject | null;
  /** The action's current data, and when it was created; null for a message. */
  data: JsonObject | null;
  action_created_at: Instant | null;
  message_id: string;
  author_id: string | null;
  text: string | null;
  /** A change of the chat's readers, which is not an event of the chat. */
  restricts: boolean;
  /** The members that may read the chat now; null: every member of the project. */
  readers: readonly string[] | null;
};

/** Selects a page of the feed: of one chat, or of all (`chat: null`). */
export type ChatPageQuery = {
  after: number;
  limit: number;
  chat: { project_id: string; chat_id: string } | null;
};

// Positions are assigned under the org's row lock, which is held until commit: a reader that sees a position sees all
// earlier ones. Scans $3 events of the index of chat events. The last scanned row is always returned, also if it belongs to
// another chat: its position shows how far the scan got. Lateral lookups, because a join could read all tasks of the org.
const READ_CHAT_PAGE = `
  select w.position::float8 as position, w.project_id, k.chat_id,
    w.to_status as status, w.created_at, w.patch -> 'data' as patch_data, t.data,
    t.created_at as action_created_at,
    w.task_id as message_id, m.author_id, m.text, w.type = '${READERS_CHANGED}' as restricts, c.readers, w.scanned::float8 as scanned
  from (
    select e.*, max(e.position) over () as last, count(*) over () as scanned
    from (
      select e.position, e.project_id, e.task_id, e.row_version, e.to_status, e.created_at, e.patch, e.type, e.payload
      from pawl.event e
      where e.org_id = $1 and e.lifecycle = 'bot-actions' and e.position > $2
      order by e.position
      limit $3
    ) e
  ) w
  left join lateral (
    select t.data, t.created_at from pawl.task t
    where t.org_id = $1 and t.id = w.task_id and w.row_version > 0 offset 0
  ) t on true
  left join lateral (
    select m.chat_id, m.author_id, m.text from pawl.bot_actions_message m
    where m.org_id = $1 and m.id = w.task_id and w.row_version = 0 offset 0
  ) m on true
  cross join lateral (
    select coalesce(t.data ->> 'chatId', m.chat_id, case when w.row_version = 0 then w.payload ->> 'chatId' end) as chat_id
  ) k
  left join lateral (
    select c.readers from pawl.bot_actions_chat c
    where c.org_id = $1 and c.project_id = w.project_id and c.chat_id = k.chat_id offset 0
  ) c on true
  where w.position = w.last or $4::text is null or (w.project_id = $4 and k.chat_id = $5)
  order by w.position`;

/** Factor by which more events are scanned than returned when one chat is read. */
const EVENTS_SCANNED_PER_EVENT_READ = 10;

/** Reads the next events of chats, in commit order. */
export async function readChatPage(
  tx: Tx,
  org_id: string,
  { after, limit, chat }: ChatPageQuery,
): Promise<{ events: ChatRow[]; last: number; ended: boolean; restricts: boolean }> {
  const maxScanned = chat ? limit * EVENTS_SCANNED_PER_EVENT_READ : limit;
  const { project_id = null, chat_id = null } = chat ?? {};
  const rows = await query<ChatRow & { scanned: number }>(tx, READ_CHAT_PAGE, [
    org_id,
    after,
    maxScanned,
    project_id,
    chat_id,
  ]);
  return {
    events: rows,
    last: rows.at(-1)?.position ?? after,
    ended: (rows[0]?.scanned ?? 0) < maxScanned,
    restricts: rows.some(({ restricts }) => restricts),
  };
}
