import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";
import type { MessageRow } from "./list-messages.ts";

// Message and feed row in one statement, the last but for the request before the commit: the org's row, which gives out
// the feed's positions, stays locked from here on. The clock is read under that lock, so that it goes with the positions.
// A transaction that was cut off, perhaps after its commit, is tried again with the same id, and finds its message.
const SAVE_MESSAGE = `
  with there as (
    select m.id, m.project_id, m.chat_id, m.author_id, m.text, m.created_at
    from pawl.bot_actions_message m where m.org_id = $1 and m.id = $2
  ), feed as (
    update pawl.org set feed_position = feed_position + 1 where id = $1 and not exists (select from there)
    returning feed_position as position
  ), said as (
    insert into pawl.bot_actions_message (org_id, id, project_id, chat_id, position, author_id, text, created_at, client_event_id)
    select $1, $2, $3, $4, feed.position, $5, $6, clock_timestamp(), $7 from feed
    returning id, project_id, chat_id, position, author_id, text, created_at
  ), told as (
    insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, actor_id, patch,
      private, hash, created_at)
    select $1, s.id, 0, s.position, 'bot-actions', s.project_id, 'message', 'say', s.author_id, '{}', false,
      pawl.seal(''::bytea, s.id, 0, s.created_at, json_build_array('message', 'say', null, null, s.author_id)::text, null, null,
        '{}'), s.created_at
    from said s
  )
  select id, project_id, chat_id, author_id, text, created_at from there
  union all
  select id, project_id, chat_id, author_id, text, created_at from said`;

export async function saveMessage(
  tx: Tx,
  org_id: string,
  message: Omit<MessageRow, "created_at"> & { client_event_id: string | null },
): Promise<MessageRow> {
  const { id, project_id, chat_id, author_id, text, client_event_id } = message;
  const params = [org_id, id, project_id, chat_id, author_id, text, client_event_id];
  const [row] = await query<MessageRow>(tx, SAVE_MESSAGE, params);
  if (!row) throw new Error(`there is no org "${org_id}"`);
  return row;
}
