import { z } from "zod";
import { fields } from "../../api/index.ts";
import { botActionStatuses } from "./bot-action-names.ts";
import type { BotActionType } from "./bot-action-names.ts";

const { anyObject, longText, moment, nonEmptyText: words } = fields;

export { botActionStatuses } from "./bot-action-names.ts";
export type { BotActionStatus, BotActionType } from "./bot-action-names.ts";

/** Limits the payload, because every event of the action contains it. */
const MAX_PAYLOAD_CHARACTERS = 65_536;

const id = words.max(200).refine((name) => !/\p{Cc}/u.test(name), "must not contain control characters");

const payload = anyObject.refine(
  (value) => JSON.stringify(value).length <= MAX_PAYLOAD_CHARACTERS,
  `must not be longer than ${MAX_PAYLOAD_CHARACTERS} characters of JSON`,
);

/** Identifies an action: the same actionId in another chat is another action. */
const actionKey = {
  workspaceId: id.describe("a project's id"),
  chatId: id,
  actionId: id.describe("chosen by the caller, one per operation; preferably a UUID"),
};

/** Fields that start and update can change; null or a missing field keeps the stored value. */
const botActionContent = {
  displayText: longText
    .nullish()
    .describe("shown in the chat in one line; HTML is removed, and the text is cut to 300 characters"),
  payload: payload.nullish(),
};

export const botActionStart = z.object({ ...actionKey, actionType: id, ...botActionContent });

export const botActionUpdate = z.object({
  ...actionKey,
  status: z.enum(["done", "error"]),
  actionType: id.nullish().describe("ignored; the type sent with start applies"),
  ...botActionContent,
});

export const botAction = z
  .object({
    workspaceId: z.string(),
    chatId: z.string(),
    actionId: z.string(),
    actionType: z.string(),
    status: z.enum(botActionStatuses),
    displayText: z.string().nullish(),
    payload: anyObject.nullish(),
    createdAt: moment.nullish(),
    updatedAt: moment.nullish(),
  })
  .meta({ id: "BotAction" });

export type BotAction = z.output<typeof botAction> & {
  // Editors complete the known types; any other string is valid too.
  actionType: BotActionType | (string & {});
};

export const chatMessage = z
  .object({
    id: z.uuid(),
    workspaceId: z.string(),
    chatId: z.string(),
    authorId: z.string(),
    text: z.string(),
    createdAt: moment,
  })
  .meta({ id: "ChatMessage" });

export type ChatMessage = z.output<typeof chatMessage>;

/** An event of a chat's stream. */
export const chatEvent = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("bot_action"), action: botAction }),
    z.object({ type: z.literal("message"), message: chatMessage }),
  ])
  .meta({ id: "ChatEvent" });

export type ChatEvent = z.output<typeof chatEvent>;

/** The members that may read a chat. */
export const chatReaders = z
  .object({
    workspaceId: z.string(),
    chatId: z.string(),
    readers: z.array(z.string()).nullable().describe("null: every member of the project"),
    changedBy: z.string().nullable(),
    changedAt: moment.nullable(),
  })
  .meta({ id: "ChatReaders" });

export type ChatReaders = z.output<typeof chatReaders>;

/** A chat in the list of chats. */
export const listedChat = z
  .object({
    workspaceId: z.string(),
    chatId: z.string(),
    restricted: z.boolean().describe("only some members may read it"),
    processing: z.int().describe("the number of processing actions"),
    action: botAction.nullable().describe("the processing action that was updated last"),
    lastActivityAt: moment,
  })
  .meta({ id: "ListedChat" });

export type ListedChat = z.output<typeof listedChat>;

/** The id of a chat: any string that its owner chooses. */
export const chatId = id;
