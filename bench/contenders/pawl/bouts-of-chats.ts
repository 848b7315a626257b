import { setTimeout as pause } from "node:timers/promises";
import { buildServer } from "../../../src/server/server.ts";
import { BotActionDesk } from "../../../src/lifecycles/bot-actions/service.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { pluginSettings, serverPlugins } from "../../../src/main/plugins.ts";
import { now } from "../../contender.ts";
import type { Bouts, Terms } from "../../contender.ts";
import type { Tools } from "./errands.ts";

/** By which the readers of chats are known. */
export const CHAT_TOKEN = "bench-chat-reader";

/** Pawl as a server whose chats are open, and as the bots in them. */
export function boutsOfChats({ pawl, by }: Tools): Bouts {
  const desk = new BotActionDesk(pawl);
  let started = 0;
  return {
    /** `figures.port` says where it listens. */
    async openChats() {
      const { directory } = pawl;
      await directory.setAdminToken(by.org_id, CHAT_TOKEN);
      const plugins = serverPlugins(PLUGINS, pluginSettings(PLUGINS));
      const server = await buildServer({ engine: pawl, directory, version: "0.0.0", plugins });
      const address = await server.listen({ host: "127.0.0.1", port: 0 });
      return { done: 0, seconds: 0, figures: { port: Number(new URL(address).port) } };
    },
    /** Bots start, here and there in so many chats; `figures` has when each start was known to be committed. */
    async actInChats({ events = 0, chats = 1, aSecond = 1 }: Terms) {
      const figures: Record<string, number> = {};
      const began = now();
      const acting: Promise<void>[] = [];
      for (let n = 0; n < events; n++) {
        await pause(Math.max(0, began + (n * 1_000) / aSecond - now()));
        const number = ++started;
        // Far from one another: no two events in a row are for readers of one process.
        const chatId = `chat-${(number * 7_919) % chats}`;
        const action = { workspaceId: "main", chatId, actionId: String(number), actionType: "summarize" };
        acting.push(
          desk.start(by, action, { client_event_id: null }).then((told) => {
            if ("kind" in told) throw new Error(told.detail);
            figures[number] = now();
          }),
        );
      }
      await Promise.all(acting);
      return { done: events, seconds: (now() - began) / 1_000, figures };
    },
    /** How much memory the server holds. */
    weigh() {
      return Promise.resolve({ done: 0, seconds: 0, figures: { rss: process.memoryUsage.rss() } });
    },
  };
}
