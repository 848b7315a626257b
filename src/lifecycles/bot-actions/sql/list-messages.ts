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

// The page before an unknown or deleted message is empty, so paging back always ends.
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

export type MessageFilter = { project_id: string; chat_id: string; before: string | null; limit: number };

/** Lists the newest messages of a chat, or the newest before a given one; oldest first. */
export async function listMessages(tx: Tx, org_id: string, filter: MessageFilter): Promise<MessageRow[]> {
  const { project_id, chat_id, before, limit } = filter;
  const rows = await query<MessageRow>(tx, LIST_MESSAGES, [org_id, project_id, chat_id, before, limit]);
  return rows.reverse();
}
