import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { TaskRow, Tx } from "../../../plugin/index.ts";

/** A chat with recent events; `position` is that of the last one. */
type RecentChatRow = { chat_id: string; restricted: boolean; last_at: Instant; position: number };

// Walks the feed of chats backwards, because chats are not registered: at most $4 events, with one look-up each.
const LIST_RECENT_CHATS = `
  select v.chat_id, bool_or(c.readers is not null) as restricted, max(w.created_at) as last_at,
    max(w.position)::float8 as position, min(w.oldest)::float8 as oldest, max(w.scanned)::float8 as scanned
  from (
    select e.*, min(e.position) over () as oldest, count(*) over () as scanned
    from (
      select e.position, e.project_id, e.task_id, e.row_version, e.created_at, e.payload from pawl.event e
      where e.org_id = $1 and e.lifecycle = 'bot-actions' and ($3::float8 is null or e.position < $3::float8)
      order by e.position desc
      limit $4
    ) e
  ) w
  left join lateral (
    select t.data ->> 'chatId' as chat_id from pawl.task t
    where t.org_id = $1 and t.id = w.task_id and w.row_version > 0 offset 0
  ) t on true
  left join lateral (
    select m.chat_id from pawl.bot_actions_message m
    where m.org_id = $1 and m.id = w.task_id and w.row_version = 0 offset 0
  ) m on true
  cross join lateral (
    select case when w.project_id = $2 then
      coalesce(t.chat_id, m.chat_id, case when w.row_version = 0 then w.payload ->> 'chatId' end) end as chat_id
  ) k
  left join lateral (
    select c.readers from pawl.bot_actions_chat c
    where c.org_id = $1 and c.project_id = $2 and c.chat_id = k.chat_id offset 0
  ) c on true
  cross join lateral (
    select case when c.readers is null or $5::text is null or $5 = any(c.readers) then k.chat_id end as chat_id
  ) v
  group by v.chat_id
  order by max(w.position) desc`;

export type RecentChats = { chats: RecentChatRow[]; oldest: number | null };

/** Lists the chats of the last events before a position; `oldest` is the position to continue from, null at the beginning. */
export async function listRecentChats(
  tx: Tx,
  org_id: string,
  filter: { project_id: string; before: number | null; scan: number; reader: string | null },
): Promise<RecentChats> {
  const { project_id, before, scan, reader } = filter;
  const rows = await query<
    Omit<RecentChatRow, "chat_id"> & { chat_id: string | null; oldest: number; scanned: number }
  >(tx, LIST_RECENT_CHATS, [org_id, project_id, before, scan, reader]);
  const [first] = rows;
  return {
    // Events of other projects and of chats that the reader may not read have no chat here.
    chats: rows.flatMap(({ chat_id, restricted, last_at, position }) =>
      chat_id === null ? [] : [{ chat_id, restricted, last_at, position }],
    ),
    oldest: first && first.scanned >= scan ? first.oldest : null,
  };
}

// Uses the index of unfinished tasks. The newest actions come first.
const LIST_PROCESSING = `
  select t.* from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'bot-actions' and t.status = 'processing' and not t.final and t.project_id = $2
    and (t.readers is null or $3::text is null or $3 = any(t.readers))
  order by t.updated_at desc, t.id desc
  limit $4`;

/** Lists the processing actions of a project that a reader may see, last updated first. */
export function listProcessing(
  tx: Tx,
  org_id: string,
  { project_id, reader, limit }: { project_id: string; reader: string | null; limit: number },
): Promise<TaskRow[]> {
  return query<TaskRow>(tx, LIST_PROCESSING, [org_id, project_id, reader, limit]);
}
