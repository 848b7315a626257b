import { z } from "zod";
import { botAction, chatMessage } from "../../../src/lifecycles/bot-actions/bot-action.ts";
import type { BotAction, ChatEvent } from "../../../src/lifecycles/bot-actions/bot-action.ts";
import type { JsonObject } from "../../../src/core/index.ts";
import { startTestServer } from "../../http/test-server.ts";
import type { RequestOptions, TestServer, Reply } from "../../http/test-server.ts";
import { listenTo } from "../../http/listener.ts";
import type { Listener } from "../../http/listener.ts";

export type ChatListener = Listener<ChatEvent & { position: number }>;

export type ChatTestServer = TestServer & {
  /** Tokens: `bot` and `ann` can act in every project, `vic` is a viewer, `wim` belongs only to the project `shop`. */
  bot: string;
  ann: string;
  vic: string;
  wim: string;
  /** Starts or updates an action. Default: as the bot, in the chat c1 of the project main. */
  start: (actionId: string, fields?: JsonObject, options?: RequestOptions) => Promise<Reply>;
  update: (actionId: string, fields?: JsonObject, options?: RequestOptions) => Promise<Reply>;
  list: (query?: string) => Promise<BotAction[]>;
  listen: (
    chatId: string,
    options?: { query?: string; token?: string; after?: number },
  ) => Promise<ChatListener>;
};

const chatEventSchema = z.union([
  z.strictObject({ type: z.literal("bot_action"), action: botAction.strict() }),
  z.strictObject({ type: z.literal("message"), message: chatMessage.strict() }),
]);

/** Starts a server with a bot, and members with different rights. */
export async function startChatServer(
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<ChatTestServer> {
  const server = await startTestServer(options);
  const { ask, url } = server;
  const other = options.sameDatabaseAs as ChatTestServer | undefined;
  if (!other) await ask("POST /api/projects", { body: { id: "shop" } });
  const bot = other?.bot ?? (await server.member({ id: "bot", kind: "service", roles: ["agent"] }));
  const ann = other?.ann ?? (await server.member({ id: "ann", kind: "human", roles: ["agent"] }));
  const vic = other?.vic ?? (await server.member({ id: "vic", kind: "human", roles: ["viewer"] }));
  const wim =
    other?.wim ??
    (await server.member({ id: "wim", kind: "human", roles: ["agent"], project_ids: ["shop"] }));
  const chat = { workspaceId: "main", chatId: "c1" };
  return {
    ...server,
    bot,
    ann,
    vic,
    wim,
    start: (actionId, fields = {}, options = {}) =>
      ask("POST /api/chat/actions/start", {
        token: bot,
        ...options,
        body: { ...chat, actionId, actionType: "summarize", ...fields },
      }),
    update: (actionId, fields = {}, options = {}) =>
      ask("POST /api/chat/actions/update", {
        token: bot,
        ...options,
        body: { ...chat, actionId, status: "done", ...fields },
      }),
    list: async (query = "chatId=c1") => {
      const { body } = await ask(`GET /api/chat/actions?${query}`, { token: bot });
      return body.actions as BotAction[];
    },
    listen: (chatId, { query = "", token = bot, after } = {}) =>
      listenTo(`${url}/api/chats/${chatId}/events${query}`, token, chatEventSchema as z.ZodType<ChatEvent>, {
        ...(after === undefined ? {} : { "last-event-id": String(after) }),
      }),
  };
}

export function actionIn({ status, body, text }: Reply): BotAction {
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body.action as BotAction;
}
