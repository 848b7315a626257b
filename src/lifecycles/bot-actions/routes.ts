import { BOT_ACTIONS_ROUTES } from "./api.ts";
import { chatId as chatName } from "./bot-action.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answer, serve, stream } from "../../plugin/index.ts";
import type { By, Call, RouteHost, RouteSet } from "../../plugin/index.ts";
import { BotActionDesk } from "./service.ts";
import { chatFeed } from "./chat-feed.ts";

/** Chats and their bots over HTTP. */
export function botActionRoutes({ engine, directory, openFeed }: RouteHost): RouteSet {
  const desk = new BotActionDesk(engine);
  const feed = openFeed(chatFeed(engine));

  const start = async ({ by, body, client_event_id }: Call<Routes["startBotAction"]>) => {
    const told = await desk.start(by, body, { client_event_id });
    return isRefusal(told) ? told : answer(200, { action: told.action }, { replayed: told.replayed });
  };
  const update = async ({ by, body, client_event_id }: Call<Routes["updateBotAction"]>) => {
    const told = await desk.update(by, body, { client_event_id });
    return isRefusal(told) ? told : answer(200, { action: told.action }, { replayed: told.replayed });
  };

  /** The chat of a path, in a workspace that the caller may see; there is no list of chats that it could be missing from. */
  const chatOf = async (by: By, name: string, workspace: string | null | undefined) => {
    const parsed = chatName.safeParse(name);
    if (!parsed.success)
      return refuse(
        "NOT_FOUND",
        `No chat has this name: it ${parsed.error.issues[0]?.message ?? "is none"}.`,
      );
    const project = await directory.project(by, workspace ?? "main");
    return isRefusal(project) ? project : { workspaceId: project.id, chatId: parsed.data };
  };

  return serve(BOT_ACTIONS_ROUTES, {
    startBotAction: start,
    updateBotAction: update,
    listBotActions: async ({ by, query: { workspaceId, chatId, status = "processing" } }) => {
      const chat = await chatOf(by, chatId, workspaceId);
      return isRefusal(chat) ? chat : answer(200, { actions: await desk.list(by, { ...chat, status }) });
    },
    startBotActionByCallback: (call) => otherChat(call.by, call.body) ?? start(call),
    updateBotActionByCallback: (call) => otherChat(call.by, call.body) ?? update(call),
    createCallbackToken: async ({ by, params, body }) => {
      const chat = await chatOf(by, params.chatId, body.workspaceId);
      if (isRefusal(chat)) return chat;
      const confined_to = { kind: "chat", workspace_id: chat.workspaceId, chat_id: chat.chatId } as const;
      const member_id = by.actor.id ?? "";
      return answer(201, await directory.issueConfinedToken(by, { member_id, confined_to }));
    },
    streamChatEvents: async ({ by, params, query, recognise }) => {
      const chat = await chatOf(by, params.chatId, query.workspaceId);
      if (isRefusal(chat)) return chat;
      const filter = { project_id: chat.workspaceId, chat_id: chat.chatId };
      const begin = await feed.startAfter(by.org_id, query.after);
      return stream((response) => {
        feed.tell(response, { by, recognise, filter, start: begin });
      });
    },
    listChatMessages: async ({ by, params, query: { workspaceId, before = null, limit } }) => {
      const chat = await chatOf(by, params.chatId, workspaceId);
      if (isRefusal(chat)) return chat;
      const asked = { project_id: chat.workspaceId, chat_id: chat.chatId, before, limit };
      return answer(200, { messages: await desk.messages(by, asked) });
    },
    sayInChat: async ({ by, params, body, client_event_id }) => {
      const chat = await chatOf(by, params.chatId, body.workspaceId);
      if (isRefusal(chat)) return chat;
      const said = await desk.say(by, { ...chat, text: body.text }, { client_event_id });
      if (isRefusal(said)) return said;
      return answer(201, { message: said.answer }, { replayed: said.replayed });
    },
  });
}

type Routes = typeof BOT_ACTIONS_ROUTES;

/** A callback token is for one chat. Another kind of token has no business in the address of a no-code tool. */
function otherChat(
  { confined_to }: By,
  { workspaceId, chatId }: { workspaceId: string; chatId: string },
): Refusal | null {
  if (confined_to?.kind !== "chat")
    return refuse(
      "FORBIDDEN",
      "Callbacks take a callback token: make one by POST /api/chats/{chatId}/callback-tokens.",
    );
  if (confined_to.workspace_id === workspaceId && confined_to.chat_id === chatId) return null;
  return refuse("TOKEN_CONFINED", "This callback token is for another chat.", { workspaceId, chatId });
}
