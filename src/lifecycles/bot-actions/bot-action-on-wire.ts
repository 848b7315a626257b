import { onWire } from "../../api/index.ts";
import type { BotAction, ChatEvent, ChatMessage } from "./bot-action.ts";
import type { Task } from "../../core/index.ts";
import type { MessageRow } from "./sql/list-messages.ts";
import type { ChatRow } from "./sql/read-chat-page.ts";

type Data = Pick<BotAction, "chatId" | "actionId" | "actionType" | "displayText" | "payload">;

/** Converts a task to a bot action. */
export function botActionOf(
  task: Pick<Task, "project_id" | "status" | "data" | "created_at" | "updated_at">,
): BotAction {
  const { chatId, actionId, actionType, displayText = null, payload = null } = task.data as Data;
  return {
    workspaceId: task.project_id,
    chatId,
    actionId,
    actionType,
    status: task.status as BotAction["status"],
    displayText,
    payload,
    createdAt: onWire(task.created_at),
    updatedAt: onWire(task.updated_at),
  };
}

export function chatMessageOf({
  id,
  project_id,
  chat_id,
  author_id,
  text,
  created_at,
}: MessageRow): ChatMessage {
  return {
    id,
    workspaceId: project_id,
    chatId: chat_id,
    authorId: author_id,
    text,
    createdAt: onWire(created_at),
  };
}

/** Converts a row of the feed to an event; an action has the state that it had at that event. */
export function chatEventOf(row: ChatRow): ChatEvent {
  const { project_id, chat_id, status, created_at, patch_data, data, action_created_at } = row;
  if (data === null || action_created_at === null) {
    const { message_id: id, author_id, text } = row;
    const message = { id, project_id, chat_id, author_id: author_id ?? "", text: text ?? "", created_at };
    return { type: "message", message: chatMessageOf(message) };
  }
  const past = {
    project_id,
    status,
    data: { ...data, ...patch_data },
    created_at: action_created_at,
    updated_at: created_at,
  };
  return { type: "bot_action", action: botActionOf(past) };
}
