import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { defineLifecycle, refuse } from "../../core/index.ts";
import { cleanDisplayText } from "./display-text.ts";

const text = z.string().trim().min(1);
const saying = {
  displayText: z.string().nullish().transform(cleanDisplayText),
  payload: z.record(z.string(), z.unknown()).nullish(),
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
    start: { event: "bot_action", input: z.object(saying) },
    update: { event: "bot_action", input: z.object({ status: z.enum(["done", "error"]), ...saying }) },
    time_out: { event: "bot_action" },
  },
  creation: {
    permission: "task.start",
    input: z.object({
      chatId: text,
      actionId: text,
      actionType: text,
      workspaceId: text.default("main"),
      ...saying,
    }),
    to: [{ status: "processing" }],
    draft: ({ input }) => ({
      title: input.displayText ?? input.actionType,
      dedupe_key: JSON.stringify([input.workspaceId, input.chatId, input.actionId]),
      data: {
        chatId: input.chatId,
        actionId: input.actionId,
        actionType: input.actionType,
        displayText: input.displayText,
        payload: input.payload ?? null,
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
    take_words: ({ input }) => ({
      data: {
        ...(input.displayText == null ? {} : { displayText: input.displayText }),
        ...(input.payload == null ? {} : { payload: input.payload }),
      },
    }),
    mark_timeout: ({ task }) => ({ data: { payload: { ...task.data.payload, reason: "timeout" } } }),
  },
  invariants: {
    "the watchdog watches what is processing": (task) =>
      (task.status === "processing") === (task.due_action === "time_out"),
  },
});
