import type { Instant, JsonObject } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

/** One event of a chat: of an action as it was then, or of a message. */
export type ChatRow = {
  position: number;
  project_id: string;
  chat_id: string;
  status: string;
  created_at: Instant;
  /** What the event said of the action. */
  said: JsonObject | null;
  /** The action as it is now, and since when it is there; null of a message. */
  data: JsonObject | null;
  born_at: Instant | null;
  message_id: string;
  author_id: string | null;
  text: string | null;
};

/** Which part to read: of all chats, or what can be one chat's. */
export type ChatWalk = { after: number; limit: number; chat: { project_id: string; chat_id: string } | null };

// Positions are given under the org's row lock, which lasts until commit: whoever sees one sees all before it.
// So many are walked, along an index of chats' events alone, and the last of them comes along whether it fits or not: it
// tells how far has been looked. Each is looked up by itself: a join could come to read all of an org.
const READ_CHAT_PAGE = `
  select w.position::float8 as position, w.project_id, coalesce(t.data ->> 'chatId', m.chat_id) as chat_id,
    w.to_status as status, w.created_at, w.patch -> 'data' as said, t.data, t.created_at as born_at,
    w.task_id as message_id, m.author_id, m.text, w.walked::float8 as walked
  from (
    select e.*, max(e.position) over () as last, count(*) over () as walked
    from (
      select e.position, e.project_id, e.task_id, e.row_version, e.to_status, e.created_at, e.patch
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
  where w.position = w.last or $4::text is null
    or (w.project_id = $4 and coalesce(t.data ->> 'chatId', m.chat_id) = $5)
  order by w.position`;

/** How many events are looked at for one who wants those of his chat alone. */
const WALKED_FOR_ONE_CHAT = 10;

/** The next events of chats, in commit order. */
export async function readChatPage(
  tx: Tx,
  org_id: string,
  { after, limit, chat }: ChatWalk,
): Promise<{ events: ChatRow[]; last: number; ended: boolean }> {
  const most = chat ? limit * WALKED_FOR_ONE_CHAT : limit;
  const { project_id = null, chat_id = null } = chat ?? {};
  const rows = await query<ChatRow & { walked: number }>(tx, READ_CHAT_PAGE, [
    org_id,
    after,
    most,
    project_id,
    chat_id,
  ]);
  return { events: rows, last: rows.at(-1)?.position ?? after, ended: (rows[0]?.walked ?? 0) < most };
}
