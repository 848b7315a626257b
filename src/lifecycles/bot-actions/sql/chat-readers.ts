import { READERS_CHANGED, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";
import type { Instant } from "../../../core/index.ts";
import type { Readers } from "../readers.ts";
import { prefixOfChat } from "./list-bot-actions.ts";

type Chat = { project_id: string; chat_id: string };

export type ReadersRow = { readers: string[] | null; changed_by: string | null; changed_at: Instant };

const READ_READERS = `
  select c.readers, c.changed_by, c.changed_at from pawl.bot_actions_chat c
  where c.org_id = $1 and c.project_id = $2 and c.chat_id = $3`;

/** Reads the list of a chat; null if it was never set. */
export async function readReaders(tx: Tx, org_id: string, chat: Chat): Promise<ReadersRow | null> {
  const [row] = await query<ReadersRow>(tx, READ_READERS, [org_id, chat.project_id, chat.chat_id]);
  return row ?? null;
}

// In the order of the keys: two transactions that lock in different orders deadlock.
const SHARE_LISTS = `
  select pg_advisory_xact_lock_shared(k.key) from (
    select distinct hashtextextended($1 || ' chat ' || c.chat, 0 /* pawl */) as key from unnest($2::text[]) as c(chat)
    order by key offset 0
  ) as k`;

const READ_LISTS = `
  select c.readers from unnest($2::text[], $3::text[]) with ordinality as n(project_id, chat_id, place)
  left join pawl.bot_actions_chat c on c.org_id = $1 and c.project_id = n.project_id and c.chat_id = n.chat_id
  order by n.place`;

/** Reads the lists of chats for new actions. Until they are committed, the lists cannot change. */
export async function shareReaders(
  tx: Tx,
  org_id: string,
  chats: readonly Chat[],
): Promise<(string[] | null)[]> {
  await query(tx, SHARE_LISTS, [org_id, chats.map(prefixOfChat)]);
  const [projects, ids] = [chats.map(({ project_id }) => project_id), chats.map(({ chat_id }) => chat_id)];
  const rows = await query<{ readers: string[] | null }>(tx, READ_LISTS, [org_id, projects, ids]);
  return rows.map(({ readers }) => readers);
}

const LOCK_LIST = `select pg_advisory_xact_lock(hashtextextended($1 || ' chat ' || $2::text, 0 /* pawl */))`;

/** Waits for the actions that are being created in the chat, and keeps others from reading its list, until commit. */
export async function lockReaders(tx: Tx, org_id: string, chat: Chat): Promise<void> {
  await query(tx, LOCK_LIST, [org_id, prefixOfChat(chat)]);
}

const FIND_UNKNOWN = `
  select n.id from unnest($2::text[]) as n(id)
  where not exists (select from pawl.member m where m.org_id = $1 and m.id = n.id)
  order by n.id`;

/** Returns the ids that are not those of members. */
export async function findUnknownMembers(tx: Tx, org_id: string, ids: readonly string[]): Promise<string[]> {
  return (await query<{ id: string }>(tx, FIND_UNKNOWN, [org_id, ids])).map(({ id }) => id);
}

// In the order of ids, as moves lock tasks.
const LOCK_ACTIONS = `
  select t.id from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'bot-actions' and t.final in (true, false)
    and t.dedupe_key collate "C" >= $2::text || '"' and t.dedupe_key collate "C" < $2::text || '#'
  order by t.id
  for no key update`;

// Locks the org's row, which assigns the positions of the feed, last.
const SAVE_READERS = `
  with list as (
    insert into pawl.bot_actions_chat (org_id, project_id, chat_id, readers, changed_by, changed_at)
    values ($1, $2, $3, $4::text[], $5, clock_timestamp())
    on conflict on constraint bot_actions_chat_pkey
    do update set readers = excluded.readers, changed_by = excluded.changed_by, changed_at = excluded.changed_at
    returning readers, changed_by, changed_at
  ), actions as (
    update pawl.task t set readers = $4::text[] where t.org_id = $1 and t.id = any($6::uuid[])
  ), feed as (
    update pawl.org set feed_position = feed_position + 1 where id = $1 returning feed_position as position
  ), event as (
    insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, actor_id, payload,
      patch, private, hash, created_at)
    select $1, $7::uuid, 0, feed.position, 'bot-actions', $2, $8::text, 'set_readers', $5, $9::text::json, '{}', false,
      pawl.seal(''::bytea, $7::uuid, 0, list.changed_at, json_build_array($8::text, 'set_readers', null, null, $5)::text, null,
        $9::text, '{}'), list.changed_at
    from feed cross join list
  )
  select readers, changed_by, changed_at from list`;

/** Sets the list of a chat and of its actions, and adds the change to the feed. */
export async function saveReaders(
  tx: Tx,
  org_id: string,
  change: Chat & { readers: Readers; changed_by: string | null; event_id: string },
): Promise<ReadersRow> {
  const { project_id, chat_id, readers, changed_by, event_id } = change;
  const actions = await query<{ id: string }>(tx, LOCK_ACTIONS, [org_id, prefixOfChat(change)]);
  const ids = actions.map(({ id }) => id);
  const payload = JSON.stringify({ chatId: chat_id, readers });
  const params = [org_id, project_id, chat_id, readers, changed_by, ids, event_id, READERS_CHANGED, payload];
  const [row] = await query<ReadersRow>(tx, SAVE_READERS, params);
  if (!row) throw new Error(`unknown org "${org_id}"`);
  return row;
}
