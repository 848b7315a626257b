import { z } from "zod";
import { defineRoutes, eventStream, fields } from "../../api/index.ts";
import {
  botAction,
  botActionStart,
  botActionStatuses,
  botActionUpdate,
  chatEvent,
  chatReaders,
  chatId,
  chatMessage,
  listedChat,
} from "./bot-action.ts";

const { once, nonEmptyText: words } = fields;

/** The list is stored with every action of the chat. */
const MAX_READERS = 500;

const group = "Chats";
const workspaceId = chatId.optional().describe("a project's id; default `main`");
const actionReply = { 200: z.object({ action: botAction }) };
const start = {
  method: "POST",
  group,
  permission: "task.start",
  idempotent: true,
  ruled: true,
  body: botActionStart.extend(once),
  replies: actionReply,
  refusals: ["NOT_FOUND"],
} as const;
const update = {
  method: "POST",
  group,
  permission: "task.update",
  idempotent: true,
  ruled: true,
  body: botActionUpdate.extend(once),
  replies: actionReply,
  refusals: ["UNKNOWN_ACTION_ID"],
} as const;

const ABOUT_START = [
  "Can be repeated: it restarts the watchdog's timer and updates a changed displayText or payload, but never reopens a",
  "finished action. One start is enough; heartbeats are not needed.",
].join(" ");
const ABOUT_UPDATE =
  "The first finish wins. A later one with the same status can only change displayText and payload.";
const ABOUT_CALLBACK =
  "Needs a callback token, sent as `Authorization: Bearer` or `?callbackKey=`. It is valid for one workspace and chat; another chat is 403.";

const ACTION_ROUTES = {
  startBotAction: {
    ...start,
    path: "/api/chat/actions/start",
    summary: "Start a bot action",
    about: ABOUT_START,
  },
  updateBotAction: {
    ...update,
    path: "/api/chat/actions/update",
    summary: "Finish a bot action",
    about: ABOUT_UPDATE,
  },
  listBotActions: {
    method: "GET",
    path: "/api/chat/actions",
    group,
    summary: "List the bot actions of a chat, newest `updatedAt` first",
    confined: ["chat"],
    query: z.object({
      workspaceId,
      chatId,
      status: z.enum(botActionStatuses).optional().describe("default `processing`"),
    }),
    replies: { 200: z.object({ actions: z.array(botAction) }) },
    refusals: ["NOT_FOUND"],
  },
} as const;

const CALLBACK_ROUTES = {
  startBotActionByCallback: {
    ...start,
    path: "/api/no-code/callback/actions/start",
    summary: "Start a bot action from a no-code tool",
    about: ABOUT_CALLBACK,
    confined: ["chat"],
    tokenInQuery: "callbackKey",
  },
  updateBotActionByCallback: {
    ...update,
    path: "/api/no-code/callback/actions/update",
    summary: "Finish a bot action from a no-code tool",
    about: ABOUT_CALLBACK,
    confined: ["chat"],
    tokenInQuery: "callbackKey",
  },
  createCallbackToken: {
    method: "POST",
    path: "/api/chats/{chatId}/callback-tokens",
    group,
    permission: "task.start",
    summary: "Create a callback token for a no-code tool; it is shown only once",
    about:
      "The token acts as you in the callbacks of this chat. With `read`, it also reads the actions, messages and events of this chat. It gives no other access.",
    ruled: true,
    body: z.object({
      workspaceId: chatId.nullish().describe("a project's id; default `main`"),
      read: z.boolean().nullish().describe("lets the token also read this chat; default false"),
    }),
    replies: { 201: z.object({ id: z.uuid(), token: z.string() }) },
    refusals: ["NOT_FOUND"],
  },
} as const;

const ABOUT_EVENTS = [
  "Server-sent events: `id` is a position, `data` is `{type, action}` or `{type, message}`. The stream starts with new events;",
  "`after`, or the header `Last-Event-ID`, resumes after a position, without gaps or duplicates.",
  "A comment is sent at least every 15 seconds, with an `id` without data: the position up to which the chat was read.",
].join(" ");

const ABOUT_READERS = [
  "For everybody else the chat, its actions and its messages do not exist, also for admins and for bots that are not on the list.",
  "Open streams of members that were removed end. The same list again changes nothing.",
].join(" ");

const MESSAGE_ROUTES = {
  streamChatEvents: {
    method: "GET",
    path: "/api/chats/{chatId}/events",
    group,
    summary: "Stream the events of a chat",
    confined: ["chat"],
    about: ABOUT_EVENTS,
    resumable: true,
    query: z.object({
      workspaceId,
      after: z
        .int()
        .min(0)
        .optional()
        .describe("a position; 0 is the beginning. The header `Last-Event-ID` works as well."),
    }),
    replies: { 200: eventStream(chatEvent) },
    refusals: ["NOT_FOUND"],
  },
  listChatMessages: {
    method: "GET",
    path: "/api/chats/{chatId}/messages",
    group,
    summary: "List the newest messages of a chat, oldest first",
    confined: ["chat"],
    query: z.object({
      workspaceId,
      before: z.uuid().optional().describe("a message's id; returns messages older than it"),
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
    summary: "Send a message to a chat",
    idempotent: true,
    ruled: true,
    body: z.object({
      workspaceId: chatId.nullish().describe("a project's id; default `main`"),
      text: words.max(10_000),
      ...once,
    }),
    replies: { 201: z.object({ message: chatMessage }) },
    refusals: ["NOT_FOUND"],
  },
} as const;

const CHAT_ROUTES = {
  listChats: {
    method: "GET",
    path: "/api/chats",
    group,
    summary: "List the chats that you may read, last active first",
    about:
      "Chats are not registered: the list is made from their last events. `next` continues with older events; such a page may repeat a chat.",
    query: z.object({ workspaceId, before: z.int().min(1).optional().describe("`next` of the last page") }),
    replies: { 200: z.object({ chats: z.array(listedChat), next: z.int().nullable() }) },
    refusals: ["NOT_FOUND"],
  },
  getChatReaders: {
    method: "GET",
    path: "/api/chats/{chatId}/readers",
    group,
    summary: "The members that may read a chat",
    about: "For the chat's readers and for admins.",
    query: z.object({ workspaceId }),
    replies: { 200: chatReaders },
    refusals: ["NOT_FOUND"],
  },
  setChatReaders: {
    method: "PUT",
    path: "/api/chats/{chatId}/readers",
    group,
    access: "admin",
    summary: "Restrict a chat to some members, or open it",
    about: ABOUT_READERS,
    body: z.object({
      workspaceId: chatId.nullish().describe("a project's id; default `main`"),
      readers: z
        .array(words.max(200))
        .min(1, "must name a member; null opens the chat")
        .max(MAX_READERS)
        .nullable()
        .describe("ids of members; null: every member of the project"),
    }),
    replies: { 200: chatReaders },
    refusals: ["NOT_FOUND"],
  },
} as const;

/** Routes of chats, their messages and bot actions. */
export const BOT_ACTIONS_ROUTES = defineRoutes({
  ...ACTION_ROUTES,
  ...CALLBACK_ROUTES,
  ...MESSAGE_ROUTES,
  ...CHAT_ROUTES,
});
