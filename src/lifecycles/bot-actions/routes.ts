import { BOT_ACTIONS_ROUTES } from "./api.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answer, serve, stream } from "../../plugin/index.ts";
import type { Caller, Call, RouteHost, RouteSet } from "../../plugin/index.ts";
import { ChatAccess } from "./chat-access.ts";
import { listChats } from "./chat-list.ts";
import { BotActionService } from "./service.ts";
import { chatFeed } from "./chat-feed.ts";

/** Serves chats and bot actions over HTTP. */
export function botActionRoutes({ engine, directory, openFeed }: RouteHost): RouteSet {
  const service = new BotActionService(engine);
  const access = new ChatAccess(engine, directory);
  const feed = openFeed(chatFeed(engine));

  const start = async ({ caller, body, client_event_id }: Call<Routes["startBotAction"]>) => {
    const result = await service.start(caller, body, { client_event_id });
    return isRefusal(result) ? result : answer(200, { action: result.action }, { replayed: result.replayed });
  };
  const update = async ({ caller, body, client_event_id }: Call<Routes["updateBotAction"]>) => {
    const result = await service.update(caller, body, { client_event_id });
    return isRefusal(result) ? result : answer(200, { action: result.action }, { replayed: result.replayed });
  };

  return serve(BOT_ACTIONS_ROUTES, {
    startBotAction: start,
    updateBotAction: update,
    listBotActions: async ({ caller, query: { workspaceId, chatId, status = "processing" } }) => {
      const chat = await access.chat(caller, chatId, workspaceId);
      return isRefusal(chat)
        ? chat
        : answer(200, { actions: await service.list(caller, { ...chat, status }) });
    },
    startBotActionByCallback: (call) => refuseOtherChat(call.caller, call.body) ?? start(call),
    updateBotActionByCallback: (call) => refuseOtherChat(call.caller, call.body) ?? update(call),
    createCallbackToken: async ({ caller, params, body }) => {
      const chat = await access.chat(caller, params.chatId, body.workspaceId);
      if (isRefusal(chat)) return chat;
      const confined_to = {
        kind: "chat",
        workspace_id: chat.workspaceId,
        chat_id: chat.chatId,
        ...(body.read ? { read: true } : {}),
      };
      const member_id = caller.actor.id ?? "";
      return answer(201, await directory.issueConfinedToken(caller, { member_id, confined_to }));
    },
    streamChatEvents: async ({ caller, params, query, identify }) => {
      const chat = await access.chat(caller, params.chatId, query.workspaceId);
      if (isRefusal(chat)) return chat;
      const filter = { project_id: chat.workspaceId, chat_id: chat.chatId };
      const position = await feed.startAfter(caller.org_id, query.after);
      return stream((response) => {
        feed.start(response, { caller, identify, filter, start: position });
      });
    },
    listChatMessages: async ({ caller, params, query: { workspaceId, before = null, limit } }) => {
      const chat = await access.chat(caller, params.chatId, workspaceId);
      if (isRefusal(chat)) return chat;
      const filter = { project_id: chat.workspaceId, chat_id: chat.chatId, before, limit };
      return answer(200, { messages: await service.messages(caller, filter) });
    },
    sayInChat: async ({ caller, params, body, client_event_id }) => {
      const chat = await access.chat(caller, params.chatId, body.workspaceId);
      if (isRefusal(chat)) return chat;
      const saved = await service.say(caller, { ...chat, text: body.text }, { client_event_id });
      if (isRefusal(saved)) return saved;
      return answer(201, { message: saved.answer }, { replayed: saved.replayed });
    },
    listChats: async ({ caller, query: { workspaceId = "main", before } }) => {
      const project = await directory.project(caller, workspaceId);
      if (isRefusal(project)) return project;
      return answer(200, await listChats(engine, caller, { workspaceId: project.id, before }));
    },
    getChatReaders: async ({ caller, params, query }) => {
      const list = await access.readers(caller, params.chatId, query.workspaceId);
      return isRefusal(list) ? list : answer(200, list);
    },
    setChatReaders: async ({ caller, params, body }) => {
      const list = await access.setReaders(caller, params.chatId, body);
      return isRefusal(list) ? list : answer(200, list);
    },
  });
}

type Routes = typeof BOT_ACTIONS_ROUTES;

/** Accepts only the callback token of this chat. Other tokens must not be put into the URL of a no-code tool. */
function refuseOtherChat(
  { confined_to }: Caller,
  { workspaceId, chatId }: { workspaceId: string; chatId: string },
): Refusal | null {
  if (confined_to?.kind !== "chat")
    return refuse(
      "FORBIDDEN",
      "Callbacks need a callback token. Create one with POST /api/chats/{chatId}/callback-tokens.",
    );
  if (confined_to.workspace_id === workspaceId && confined_to.chat_id === chatId) return null;
  return refuse("TOKEN_CONFINED", "This callback token belongs to another chat.", { workspaceId, chatId });
}
