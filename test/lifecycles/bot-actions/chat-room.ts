import { z } from "zod";
import { botAction, chatMessage } from "../../../src/lifecycles/bot-actions/bot-action.ts";
import type { BotAction, ChatEvent } from "../../../src/lifecycles/bot-actions/bot-action.ts";
import type { JsonObject } from "../../../src/core/index.ts";
import { openFrontDesk } from "../../http/front-desk.ts";
import type { Ask, FrontDesk, Heard } from "../../http/front-desk.ts";
import { listenTo } from "../../http/listener.ts";
import type { Listener } from "../../http/listener.ts";

export type ChatListener = Listener<ChatEvent & { position: number }>;

export type ChatRoom = FrontDesk & {
  /** Tokens of bot and ann, who act in every project, of vic, who only looks, and of wim, of the project `shop` alone. */
  bot: string;
  ann: string;
  vic: string;
  wim: string;
  /** By the bot, in chat c1 of main, unless told otherwise; gives the answer as it came. */
  start: (actionId: string, fields?: JsonObject, how?: Ask) => Promise<Heard>;
  update: (actionId: string, fields?: JsonObject, how?: Ask) => Promise<Heard>;
  list: (query?: string) => Promise<BotAction[]>;
  listen: (chatId: string, how?: { query?: string; token?: string; after?: number }) => Promise<ChatListener>;
};

const strict = z.union([
  z.strictObject({ type: z.literal("bot_action"), action: botAction.strict() }),
  z.strictObject({ type: z.literal("message"), message: chatMessage.strict() }),
]);

/** A chat with a bot, somebody who acts too, and somebody who only looks. */
export async function openChatRoom(options: Parameters<typeof openFrontDesk>[0] = {}): Promise<ChatRoom> {
  const desk = await openFrontDesk(options);
  const { ask, url, beside } = { ...desk, beside: options.beside as ChatRoom | undefined };
  if (!beside) await ask("POST /api/projects", { body: { id: "shop" } });
  const bot = beside?.bot ?? (await desk.member({ id: "bot", kind: "service", roles: ["agent"] }));
  const ann = beside?.ann ?? (await desk.member({ id: "ann", kind: "human", roles: ["agent"] }));
  const vic = beside?.vic ?? (await desk.member({ id: "vic", kind: "human", roles: ["viewer"] }));
  const wim =
    beside?.wim ?? (await desk.member({ id: "wim", kind: "human", roles: ["agent"], project_ids: ["shop"] }));
  const place = { workspaceId: "main", chatId: "c1" };
  return {
    ...desk,
    bot,
    ann,
    vic,
    wim,
    start: (actionId, fields = {}, how = {}) =>
      ask("POST /api/chat/actions/start", {
        token: bot,
        ...how,
        body: { ...place, actionId, actionType: "summarize", ...fields },
      }),
    update: (actionId, fields = {}, how = {}) =>
      ask("POST /api/chat/actions/update", {
        token: bot,
        ...how,
        body: { ...place, actionId, status: "done", ...fields },
      }),
    list: async (query = "chatId=c1") => {
      const { body } = await ask(`GET /api/chat/actions?${query}`, { token: bot });
      return body.actions as BotAction[];
    },
    listen: (chatId, { query = "", token = bot, after } = {}) =>
      listenTo(`${url}/api/chats/${chatId}/events${query}`, token, strict as z.ZodType<ChatEvent>, {
        ...(after === undefined ? {} : { "last-event-id": String(after) }),
      }),
  };
}

export function actionIn({ status, body, text }: Heard): BotAction {
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body.action as BotAction;
}
