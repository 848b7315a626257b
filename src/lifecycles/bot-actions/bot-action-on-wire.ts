import { onWire } from "../../api/index.ts";
import type { BotAction, ChatEvent, ChatMessage } from "./bot-action.ts";
import type { Task } from "../../core/index.ts";
import type { MessageRow } from "./sql/list-messages.ts";
import type { ChatRow } from "./sql/read-chat-page.ts";

type Data = Pick<BotAction, "chatId" | "actionId" | "actionType" | "displayText" | "payload">;

/** A task in the words of bot actions. */
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

/** An event as its chat is told of it: the action as it was then, which may not be as it is now. */
export function chatEventOf(row: ChatRow): ChatEvent {
  const { project_id, chat_id, status, created_at, said, data, born_at } = row;
  if (data === null || born_at === null) {
    const { message_id: id, author_id, text } = row;
    const message = { id, project_id, chat_id, author_id: author_id ?? "", text: text ?? "", created_at };
    return { type: "message", message: chatMessageOf(message) };
  }
  const then = {
    project_id,
    status,
    data: { ...data, ...said },
    created_at: born_at,
    updated_at: created_at,
  };
  return { type: "bot_action", action: botActionOf(then) };
}
