import { z } from "zod";
import { fields } from "../../api/index.ts";
import { botActionStatuses } from "./bot-action-names.ts";
import type { BotActionType } from "./bot-action-names.ts";

const { anyObject, longText, moment, words } = fields;

export { botActionStatuses } from "./bot-action-names.ts";
export type { BotActionStatus, BotActionType } from "./bot-action-names.ts";

/** More than this is no longer about a line in a chat; every event of the action carries it. */
const MOST_PAYLOAD_CHARACTERS = 65_536;

const id = words.max(200).refine((name) => !/\p{Cc}/u.test(name), "must not hold control characters");

const payload = anyObject.refine(
  (value) => JSON.stringify(value).length <= MOST_PAYLOAD_CHARACTERS,
  `must not be longer than ${MOST_PAYLOAD_CHARACTERS} characters of JSON`,
);

/** What an action is known by: the same actionId in another chat is another action. */
const place = {
  workspaceId: id.describe("a project's id"),
  chatId: id,
  actionId: id.describe("of the caller's making, one for each operation: a UUID is best"),
};

/** What may be said of an action, now or later; what is null or left out stays as it was. */
const botActionWords = {
  displayText: longText
    .nullish()
    .describe("what the chat shows; HTML is removed, and what is longer than 300 characters is cut"),
  payload: payload.nullish(),
};

export const botActionStart = z.object({ ...place, actionType: id, ...botActionWords });

export const botActionUpdate = z.object({
  ...place,
  status: z.enum(["done", "error"]),
  actionType: id.nullish().describe("that of the start counts"),
  ...botActionWords,
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
  // Completed by the editor, and open for what comes.
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

/** What a chat's stream tells. */
export const chatEvent = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("bot_action"), action: botAction }),
    z.object({ type: z.literal("message"), message: chatMessage }),
  ])
  .meta({ id: "ChatEvent" });

export type ChatEvent = z.output<typeof chatEvent>;

/** Of a chat: whatever its owner calls it. */
export const chatId = id;
