import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { botActionStart, botActionUpdate } from "./bot-action.ts";
import { defineLifecycle, refuse } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { mayRead, noChat } from "./readers.ts";
import { cleanDisplayText } from "./display-text.ts";

const { chatId, actionId, actionType, workspaceId, displayText, payload } = botActionStart.shape;
const content = {
  displayText: displayText.transform(cleanDisplayText),
  payload: payload.transform(normalizePayload),
};

/** The long-running action of a chat bot, shown as one line that survives page reloads, retries and crashed workers. */
export const botActions = defineLifecycle({
  name: "bot-actions",
  version: 1,
  summary: "Long-running actions of a chat bot",
  data: z.object({
    chatId: z.string(),
    actionId: z.string(),
    actionType: z.string(),
    displayText: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()).nullable(),
  }),
  facts: z.object({
    workspace: z.string().optional(),
    readers: z.array(z.string()).nullish(),
  }),
  settings: z.object({ max_processing_hours: z.number().positive().default(2) }),
  statuses: {
    processing: {
      meaning: "the bot is busy",
      timers: [{ action: "time_out", since: "updated_at", after: { hours: "max_processing_hours" } }],
    },
    done: { meaning: "the bot has finished", final: true, success: true },
    error: { meaning: "the bot has failed, or sent no update in time", final: true },
  },
  actions: {
    start: { event: "bot_action", input: z.object(content) },
    update: { event: "bot_action", input: z.object({ status: botActionUpdate.shape.status, ...content }) },
    time_out: { event: "bot_action" },
  },
  creation: {
    permission: "task.start",
    input: z.object({ chatId, actionId, actionType, workspaceId: workspaceId.nullish(), ...content }),
    facts: ["workspace", "readers"],
    to: [{ status: "processing", guards: ["caller_reads_chat", "workspace_is_project"] }],
    draft: ({ input, facts }) => ({
      title: input.displayText ?? input.actionType,
      dedupe_key: keyOfAction({ ...input, workspaceId: facts.workspace ?? "main" }),
      data: {
        chatId: input.chatId,
        actionId: input.actionId,
        actionType: input.actionType,
        displayText: input.displayText,
        payload: input.payload,
      },
      readers: facts.readers ?? null,
    }),
  },
  rules: [
    {
      action: "start",
      from: "processing",
      who: "anyone",
      guards: ["content_changed"],
      effects: ["save_content"],
    },
    { action: "start", from: "processing", who: "anyone", outcome: "touched" },
    { action: "start", from: ["done", "error"], who: "anyone", outcome: "absorbed" },
    {
      action: "update",
      from: "processing",
      to: "done",
      who: "anyone",
      guards: ["status_is_done"],
      effects: ["save_content"],
    },
    {
      action: "update",
      from: "processing",
      to: "error",
      who: "anyone",
      guards: ["status_is_error"],
      effects: ["save_content"],
    },
    {
      action: "update",
      from: "done",
      who: "anyone",
      guards: ["status_is_done", "content_changed"],
      effects: ["save_content"],
    },
    {
      action: "update",
      from: "error",
      who: "anyone",
      guards: ["status_is_error", "content_changed"],
      effects: ["save_content"],
    },
    // A repeated or different finish changes nothing: the first one won.
    { action: "update", from: ["done", "error"], who: "anyone", outcome: "absorbed" },
    {
      action: "time_out",
      from: "processing",
      to: "error",
      who: "system",
      guards: ["due"],
      effects: ["mark_timeout"],
    },
  ],
  permissions: { "task.time_out": ["system"] },
  guards: {
    caller_reads_chat: ({ actor, facts, task }) => mayRead(actor, facts.readers) || noChat(task.data.chatId),
    // Guards a creation; the types of guards cover only the input of actions.
    workspace_is_project: ({ input, task }) => {
      const { workspaceId: named } = input as { workspaceId?: string | null };
      if (named == null || named === task.project_id) return true;
      const errors = [{ path: "workspaceId", message: "must be the task's project_id" }];
      return refuse("VALIDATION_ERROR", `"workspaceId" must be the task's project_id.`, { errors });
    },
    status_is_done: ({ input }) =>
      input.status === "done" || refuse("INVALID_TRANSITION", "The update's status is not done."),
    status_is_error: ({ input }) =>
      input.status === "error" || refuse("INVALID_TRANSITION", "The update's status is not error."),
    content_changed: ({ input, task }) =>
      (input.displayText != null && input.displayText !== task.data.displayText) ||
      (input.payload != null && !isDeepStrictEqual(input.payload, task.data.payload)) ||
      refuse("INVALID_TRANSITION", "displayText and payload are unchanged."),
  },
  effects: {
    // Writes unchanged fields too, so that each journal row has the complete content at that moment.
    save_content: ({ input, task: { data } }) => ({
      data: {
        displayText: input.displayText ?? data.displayText,
        payload: input.payload ?? data.payload,
      },
    }),
    mark_timeout: ({ task: { data } }) => ({
      data: { displayText: data.displayText, payload: { ...data.payload, reason: "timeout" } },
    }),
  },
  invariants: {
    "exactly the processing actions have a watchdog timer": (task) =>
      (task.status === "processing") === (task.due_action === "time_out"),
  },
});

/** Returns the key of an action. It is JSON, so the keys of one chat share a prefix that no other chat's keys have. */
export function keyOfAction(action: { workspaceId: string; chatId: string; actionId: string }): string {
  return JSON.stringify([action.workspaceId, action.chatId, action.actionId]);
}

/** Converts to JSON and back: JSON stores -0 as 0, so an unnormalized -0 would look changed every time. */
function normalizePayload(payload: JsonObject | null | undefined): JsonObject | null {
  return payload == null ? null : (JSON.parse(JSON.stringify(payload)) as JsonObject);
}
