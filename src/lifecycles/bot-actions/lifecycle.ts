import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { botActionStart, botActionUpdate } from "./bot-action.ts";
import { defineLifecycle, refuse } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { cleanDisplayText } from "./display-text.ts";

const { chatId, actionId, actionType, workspaceId, displayText, payload } = botActionStart.shape;
const words = {
  displayText: displayText.transform(cleanDisplayText),
  payload: payload.transform(asKept),
};

/** What a chat bot is busy with: one line beside the messages that survives refreshes, retries and dead workers. */
export const botActions = defineLifecycle({
  name: "bot-actions",
  version: 1,
  summary: "What a chat bot is busy with",
  data: z.object({
    chatId: z.string(),
    actionId: z.string(),
    actionType: z.string(),
    displayText: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()).nullable(),
  }),
  facts: z.object({ workspace: z.string().optional() }),
  settings: z.object({ max_processing_hours: z.number().positive().default(2) }),
  statuses: {
    processing: {
      meaning: "the bot is busy",
      timers: [{ action: "time_out", since: "updated_at", after: { hours: "max_processing_hours" } }],
    },
    done: { meaning: "the bot has finished", final: true, success: true },
    error: { meaning: "the bot gave up, or was never heard of again", final: true },
  },
  actions: {
    start: { event: "bot_action", input: z.object(words) },
    update: { event: "bot_action", input: z.object({ status: botActionUpdate.shape.status, ...words }) },
    time_out: { event: "bot_action" },
  },
  creation: {
    permission: "task.start",
    input: z.object({ chatId, actionId, actionType, workspaceId: workspaceId.nullish(), ...words }),
    facts: ["workspace"],
    to: [{ status: "processing", guards: ["workspace_is_the_project"] }],
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
    }),
  },
  rules: [
    {
      action: "start",
      from: "processing",
      who: "anyone",
      guards: ["says_something_new"],
      effects: ["take_words"],
    },
    { action: "start", from: "processing", who: "anyone", outcome: "touched" },
    { action: "start", from: ["done", "error"], who: "anyone", outcome: "absorbed" },
    {
      action: "update",
      from: "processing",
      to: "done",
      who: "anyone",
      guards: ["says_done"],
      effects: ["take_words"],
    },
    {
      action: "update",
      from: "processing",
      to: "error",
      who: "anyone",
      guards: ["says_error"],
      effects: ["take_words"],
    },
    {
      action: "update",
      from: "done",
      who: "anyone",
      guards: ["says_done", "says_something_new"],
      effects: ["take_words"],
    },
    {
      action: "update",
      from: "error",
      who: "anyone",
      guards: ["says_error", "says_something_new"],
      effects: ["take_words"],
    },
    // The same again, or the other ending: the first finish won.
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
    // Asked of a creation, whose input the types of guards do not know.
    workspace_is_the_project: ({ input, task }) => {
      const { workspaceId: named } = input as { workspaceId?: string | null };
      if (named == null || named === task.project_id) return true;
      const errors = [{ path: "workspaceId", message: "must be the task's project_id" }];
      return refuse("VALIDATION_ERROR", `"workspaceId" must be the task's project_id.`, { errors });
    },
    says_done: ({ input }) =>
      input.status === "done" || refuse("INVALID_TRANSITION", "The update does not say done."),
    says_error: ({ input }) =>
      input.status === "error" || refuse("INVALID_TRANSITION", "The update does not say error."),
    says_something_new: ({ input, task }) =>
      (input.displayText != null && input.displayText !== task.data.displayText) ||
      (input.payload != null && !isDeepStrictEqual(input.payload, task.data.payload)) ||
      refuse("INVALID_TRANSITION", "Nothing new was said."),
  },
  effects: {
    // All of what is said now, also what stays: so that each journal row tells the action as it was then.
    take_words: ({ input, task: { data } }) => ({
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
    "the watchdog watches what is processing": (task) =>
      (task.status === "processing") === (task.due_action === "time_out"),
  },
});

/** What an action is known by. As JSON, so that one chat's keys begin with the same text, and no other chat's do. */
export function keyOfAction(action: { workspaceId: string; chatId: string; actionId: string }): string {
  return JSON.stringify([action.workspaceId, action.chatId, action.actionId]);
}

/** As JSON keeps it: a number that it does not know, as -0, would look new each time it is said. */
function asKept(said: JsonObject | null | undefined): JsonObject | null {
  return said == null ? null : (JSON.parse(JSON.stringify(said)) as JsonObject);
}
