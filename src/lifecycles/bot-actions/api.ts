import { z } from "zod";
import { defineRoutes, eventStream, fields } from "../../api/index.ts";
import {
  botAction,
  botActionStart,
  botActionStatuses,
  botActionUpdate,
  chatEvent,
  chatId,
  chatMessage,
} from "./bot-action.ts";

const { once, words } = fields;

const group = "Chats";
const workspaceId = chatId.optional().describe("a project's id; `main` unless given");
const told = { 200: z.object({ action: botAction }) };
const start = {
  method: "POST",
  group,
  permission: "task.start",
  idempotent: true,
  ruled: true,
  body: botActionStart.extend(once),
  replies: told,
  refusals: ["NOT_FOUND"],
} as const;
const update = {
  method: "POST",
  group,
  permission: "task.update",
  idempotent: true,
  ruled: true,
  body: botActionUpdate.extend(once),
  replies: told,
  refusals: ["UNKNOWN_ACTION_ID"],
} as const;

const ABOUT_START = [
  "A start that is sent again is harmless: it renews the watchdog, takes changed words, and never brings a finished action",
  "back. It is no heartbeat: say it once.",
].join(" ");
const ABOUT_UPDATE = "The first finish wins; a later one of the same status changes words at most.";
const ABOUT_CALLBACK =
  "By a callback token, bound to a workspace and a chat: as `Authorization: Bearer`, or as `?callbackKey=`. Another chat is 403.";

const ACTION_ROUTES = {
  startBotAction: {
    ...start,
    path: "/api/chat/actions/start",
    summary: "Say that a bot is busy",
    about: ABOUT_START,
  },
  updateBotAction: {
    ...update,
    path: "/api/chat/actions/update",
    summary: "Say how it ended",
    about: ABOUT_UPDATE,
  },
  listBotActions: {
    method: "GET",
    path: "/api/chat/actions",
    group,
    summary: "What bots are busy with in a chat, the newest `updatedAt` first",
    query: z.object({
      workspaceId,
      chatId,
      status: z.enum(botActionStatuses).optional().describe("`processing` unless given"),
    }),
    replies: { 200: z.object({ actions: z.array(botAction) }) },
    refusals: ["NOT_FOUND"],
  },
} as const;

const CALLBACK_ROUTES = {
  startBotActionByCallback: {
    ...start,
    path: "/api/no-code/callback/actions/start",
    summary: "Say that a bot is busy, from a no-code tool",
    about: ABOUT_CALLBACK,
    confined: ["chat"],
    tokenInQuery: "callbackKey",
  },
  updateBotActionByCallback: {
    ...update,
    path: "/api/no-code/callback/actions/update",
    summary: "Say how it ended, from a no-code tool",
    about: ABOUT_CALLBACK,
    confined: ["chat"],
    tokenInQuery: "callbackKey",
  },
  createCallbackToken: {
    method: "POST",
    path: "/api/chats/{chatId}/callback-tokens",
    group,
    permission: "task.start",
    summary: "Make a token for a no-code tool; it is shown this once",
    about: "It speaks for you in this chat's callbacks, and opens nothing else.",
    ruled: true,
    body: z.object({ workspaceId: chatId.nullish().describe("a project's id; `main` unless given") }),
    replies: { 201: z.object({ id: z.uuid(), token: z.string() }) },
    refusals: ["NOT_FOUND"],
  },
} as const;

const ABOUT_EVENTS = [
  "Server-sent events: `id` is a position, `data` is `{type, action}` or `{type, message}`. The stream starts at now;",
  "`after`, or the header `Last-Event-ID`, goes on after a position, without loss and without repeating.",
  "Comments come at least every 15 seconds, with an `id` without data that says how far the chat has been looked through.",
].join(" ");

const MESSAGE_ROUTES = {
  streamChatEvents: {
    method: "GET",
    path: "/api/chats/{chatId}/events",
    group,
    summary: "What happens in a chat, as it happens",
    about: ABOUT_EVENTS,
    resumable: true,
    query: z.object({
      workspaceId,
      after: z
        .int()
        .min(0)
        .optional()
        .describe("a position; 0 is the beginning. Also taken as `Last-Event-ID`."),
    }),
    replies: { 200: eventStream(chatEvent) },
    refusals: ["NOT_FOUND"],
  },
  listChatMessages: {
    method: "GET",
    path: "/api/chats/{chatId}/messages",
    group,
    summary: "The newest messages of a chat, oldest first",
    query: z.object({
      workspaceId,
      before: z.uuid().optional().describe("a message's id: those that were said before it"),
      limit: z.int().min(1).max(200).default(50),
    }),
    replies: { 200: z.object({ messages: z.array(chatMessage) }) },
    refusals: ["NOT_FOUND"],
  },
  sayInChat: {
    method: "POST",
    path: "/api/chats/{chatId}/messages",
    group,
    permission: "task.start",
    summary: "Say something in a chat",
    idempotent: true,
    ruled: true,
    body: z.object({
      workspaceId: chatId.nullish().describe("a project's id; `main` unless given"),
      text: words.max(10_000),
      ...once,
    }),
    replies: { 201: z.object({ message: chatMessage }) },
    refusals: ["NOT_FOUND"],
  },
} as const;

/** Chats, and what bots are busy with in them. Here and not with their lifecycle, since the client's React parts stand on them. */
export const BOT_ACTIONS_ROUTES = defineRoutes({ ...ACTION_ROUTES, ...CALLBACK_ROUTES, ...MESSAGE_ROUTES });
