import { definePlugin } from "../../plugin/index.ts";
import { addChatCommands } from "./cli/commands.ts";
import { botActions } from "./lifecycle.ts";
import { BOT_ACTION_PROBLEMS } from "./problems.ts";
import { botActionRoutes } from "./routes.ts";
import { BOT_ACTION_SETTINGS } from "./settings.ts";
import { shareReaders } from "./sql/chat-readers.ts";
import { pruneMessages } from "./sql/prune-messages.ts";
import { BOT_ACTIONS_TEXTS } from "./texts.ts";

/** Chat bot actions: chats, their messages, and the work that bots do in them. */
const plugin = definePlugin({
  lifecycle: botActions,
  problems: BOT_ACTION_PROBLEMS,
  settings: BOT_ACTION_SETTINGS,
  migrations: new URL("./migrations/", import.meta.url),
  creationFacts: {
    readers: (tx, org_id, requests) =>
      shareReaders(
        tx,
        org_id,
        requests.map(({ project_id, input }) => ({ project_id, chat_id: String(input.chatId) })),
      ),
    workspace: (_tx, _org_id, requests) => Promise.resolve(requests.map(({ project_id }) => project_id)),
  },
  // Less often than the sweep of other lifecycles: a watchdog is less urgent than an expired lease.
  sweep: { intervalSeconds: (settings) => settings.botActionWatchdogIntervalMinutes * 60 },
  prune: { removeOld: pruneMessages },
  routes: (host) => [botActionRoutes(host)],
  commands: addChatCommands,
  ui: {
    module: new URL("./ui/index.js", import.meta.url),
    tabs: {
      chat: { en: "Chat", ru: "Чат" },
    },
    texts: BOT_ACTIONS_TEXTS,
    fields: {
      chatId: {
        pick: {
          from: "/api/chats",
          list: "chats",
          value: "chatId",
          label: ["chatId"],
          project: "workspaceId",
          open: true,
        },
      },
      actionId: { generate: "uuid" },
      workspaceId: { hidden: true },
    },
  },
  demo: () => import("./demo/scene.ts"),
});

// The compiler does not rewrite `import()` inside of `export default`.
export default plugin;
