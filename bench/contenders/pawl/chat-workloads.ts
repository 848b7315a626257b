import { setTimeout as pause } from "node:timers/promises";
import { buildServer } from "../../../src/server/server.ts";
import { BotActionService } from "../../../src/lifecycles/bot-actions/service.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { pluginSettings, serverPlugins } from "../../../src/main/plugins.ts";
import { now } from "../../contender.ts";
import type { Workloads, Params } from "../../contender.ts";
import type { Tools } from "./pawl-queue.ts";

/** The token of the chat readers. */
export const CHAT_TOKEN = "bench-chat-reader";

/** Workloads of a server with open chats, and of the bots in them. */
export function chatWorkloads({ pawl, caller }: Tools): Workloads {
  const botActions = new BotActionService(pawl.engine);
  let started = 0;
  return {
    /** Starts the server; `figures.port` is its port. */
    async startChatServer() {
      const { directory } = pawl;
      await directory.setAdminToken(caller.org_id, CHAT_TOKEN);
      const plugins = serverPlugins(PLUGINS, pluginSettings(PLUGINS));
      const server = await buildServer({ engine: pawl.engine, directory, version: "0.0.0", plugins });
      const address = await server.listen({ host: "127.0.0.1", port: 0 });
      return { done: 0, seconds: 0, figures: { port: Number(new URL(address).port) } };
    },
    /** Starts bot actions spread over the chats; `figures` has the time at which each was known to be committed. */
    async actInChats({ events = 0, chats = 1, perSecond = 1 }: Params) {
      const figures: Record<string, number> = {};
      const began = now();
      const acting: Promise<void>[] = [];
      for (let n = 0; n < events; n++) {
        await pause(Math.max(0, began + (n * 1_000) / perSecond - now()));
        const number = ++started;
        // Chats far from one another: consecutive events go to readers of different processes.
        const chatId = `chat-${(number * 7_919) % chats}`;
        const action = { workspaceId: "main", chatId, actionId: String(number), actionType: "summarize" };
        acting.push(
          botActions.start(caller, action, { client_event_id: null }).then((result) => {
            if ("kind" in result) throw new Error(result.detail);
            figures[number] = now();
          }),
        );
      }
      await Promise.all(acting);
      return { done: events, seconds: (now() - began) / 1_000, figures };
    },
    /** Returns the memory of the server. */
    measureMemory() {
      return Promise.resolve({ done: 0, seconds: 0, figures: { rss: process.memoryUsage.rss() } });
    },
  };
}
