import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

export type MessageRow = {
  id: string;
  project_id: string;
  chat_id: string;
  author_id: string;
  text: string;
  created_at: Instant;
};

// Before a message that is not there, or no more, there is nothing: whoever pages back comes to an end.
const LIST_MESSAGES = `
  select m.id, m.project_id, m.chat_id, m.author_id, m.text, m.created_at
  from pawl.bot_actions_message m
  where m.org_id = $1 and m.project_id = $2 and m.chat_id = $3
    and m.position < coalesce(
      (select b.position from pawl.bot_actions_message b
       where b.org_id = $1 and b.id = $4 and b.project_id = $2 and b.chat_id = $3),
      case when $4::uuid is null then 9223372036854775807 else 0 end)
  order by m.position desc
  limit $5`;

export type MessagesOf = { project_id: string; chat_id: string; before: string | null; limit: number };

/** The newest messages of a chat, or the newest before one of them; oldest first. */
export async function listMessages(tx: Tx, org_id: string, asked: MessagesOf): Promise<MessageRow[]> {
  const { project_id, chat_id, before, limit } = asked;
  const rows = await query<MessageRow>(tx, LIST_MESSAGES, [org_id, project_id, chat_id, before, limit]);
  return rows.reverse();
}
