import { query } from "../../../plugin/index.ts";
import type { TaskRow, Tx } from "../../../plugin/index.ts";

// A chat's keys lie side by side: each is `["workspace","chat","action"]`, and after the second comma comes a quote, whose
// next neighbour is "#".
const LIST_BOT_ACTIONS = `
  select t.* from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'bot-actions' and t.final = $2::boolean
    and t.dedupe_key collate "C" >= $3::text || '"' and t.dedupe_key collate "C" < $3::text || '#'
    and t.status = $4
  order by t.updated_at desc, t.id desc
  limit $5`;

export type ChatActions = {
  workspaceId: string;
  chatId: string;
  status: string;
  final: boolean;
  limit: number;
};

/** What bots are busy with in a chat, or were; the newest first. */
export function listBotActions(tx: Tx, org_id: string, asked: ChatActions): Promise<TaskRow[]> {
  const { workspaceId, chatId, status, final, limit } = asked;
  const beginning = `${JSON.stringify([workspaceId, chatId]).slice(0, -1)},`;
  return query<TaskRow>(tx, LIST_BOT_ACTIONS, [org_id, final, beginning, status, limit]);
}
