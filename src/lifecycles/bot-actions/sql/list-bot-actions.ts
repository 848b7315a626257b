import { query } from "../../../plugin/index.ts";
import type { TaskRow, Tx } from "../../../plugin/index.ts";

// Reads a range of the index: each key is `["workspace","chat","action"]`, so the keys of a chat share a prefix that is
// followed by a quote; "#" is the next character after the quote.
const LIST_BOT_ACTIONS = `
  select t.* from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'bot-actions' and t.final = $2::boolean
    and t.dedupe_key collate "C" >= $3::text || '"' and t.dedupe_key collate "C" < $3::text || '#'
    and t.status = $4
  order by t.updated_at desc, t.id desc
  limit $5`;

export type BotActionFilter = {
  workspaceId: string;
  chatId: string;
  status: string;
  final: boolean;
  limit: number;
};

/** Lists the bot actions of a chat in one status, last updated first. */
export function listBotActions(tx: Tx, org_id: string, filter: BotActionFilter): Promise<TaskRow[]> {
  const { workspaceId, chatId, status, final, limit } = filter;
  const prefix = prefixOfChat({ project_id: workspaceId, chat_id: chatId });
  return query<TaskRow>(tx, LIST_BOT_ACTIONS, [org_id, final, prefix, status, limit]);
}

/** Returns the beginning of the dedupe keys of a chat's actions. */
export function prefixOfChat({ project_id, chat_id }: { project_id: string; chat_id: string }): string {
  return `${JSON.stringify([project_id, chat_id]).slice(0, -1)},`;
}
