import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";
import type { MessageRow } from "./list-messages.ts";

// Writes the message and its feed row in one statement, late in the transaction: it locks the org's row, which assigns the
// positions of the feed, until commit. The clock is read under that lock, so times and positions have the same order.
// A transaction that lost its connection, perhaps after its commit, is retried with the same id and finds its message.
const SAVE_MESSAGE = `
  with existing as (
    select m.id, m.project_id, m.chat_id, m.author_id, m.text, m.created_at
    from pawl.bot_actions_message m where m.org_id = $1 and m.id = $2
  ), feed as (
    update pawl.org set feed_position = feed_position + 1 where id = $1 and not exists (select from existing)
    returning feed_position as position
  ), inserted as (
    insert into pawl.bot_actions_message (org_id, id, project_id, chat_id, position, author_id, text, created_at, client_event_id)
    select $1, $2, $3, $4, feed.position, $5, $6, clock_timestamp(), $7 from feed
    returning id, project_id, chat_id, position, author_id, text, created_at
  ), event as (
    insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, actor_id, patch,
      private, hash, created_at)
    select $1, s.id, 0, s.position, 'bot-actions', s.project_id, 'message', 'say', s.author_id, '{}', false,
      pawl.seal(''::bytea, s.id, 0, s.created_at, json_build_array('message', 'say', null, null, s.author_id)::text, null, null,
        '{}'), s.created_at
    from inserted s
  )
  select id, project_id, chat_id, author_id, text, created_at from existing
  union all
  select id, project_id, chat_id, author_id, text, created_at from inserted`;

export async function saveMessage(
  tx: Tx,
  org_id: string,
  message: Omit<MessageRow, "created_at"> & { client_event_id: string | null },
): Promise<MessageRow> {
  const { id, project_id, chat_id, author_id, text, client_event_id } = message;
  const params = [org_id, id, project_id, chat_id, author_id, text, client_event_id];
  const [row] = await query<MessageRow>(tx, SAVE_MESSAGE, params);
  if (!row) throw new Error(`unknown org "${org_id}"`);
  return row;
}
