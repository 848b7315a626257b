import { setTimeout as pause } from "node:timers/promises";
import { SYSTEM } from "../../src/core/index.ts";
import { buildServer } from "../../src/server/server.ts";
import { openPawl } from "../../src/main/index.ts";
import { fileIdOf } from "../../src/lifecycles/delivery/file-id.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { pluginSettings, serverPlugins } from "../../src/main/plugins.ts";
import { openBotApi } from "../../test/lifecycles/delivery/stand-ins/bot-api.ts";
import { generated } from "../../test/lifecycles/delivery/stand-ins/content.ts";
import { openYandexDisk } from "../../test/lifecycles/delivery/stand-ins/yandex-disk.ts";
import type { Contender, Place, Terms } from "../contender.ts";

export const TOKEN = "the-token-of-the-bench";
export const PATH = "disk:/large.bin";
const by = { org_id: "main", actor: SYSTEM };
const file_id = fileIdOf("main", PATH);

/** A Pawl server with a storage and a Telegram on loopback, which hand out and take in as fast as this process can. */
export async function open({ url }: Place): Promise<Contender> {
  const pawl = await openPawl({ url, sweepSeconds: 1 });
  const { directory } = pawl;
  await directory.setAdminToken("main", TOKEN);
  const admins = await directory.members(by);
  for (const { id } of admins.members) await directory.changeMember(by, id, { roles: ["admin", "worker"] });
  const plugins = serverPlugins(PLUGINS, pluginSettings(PLUGINS));
  const server = await buildServer({ engine: pawl, directory, version: "0.0.0", plugins });
  const address = await server.listen({ host: "127.0.0.1", port: 0 });
  const [disk, telegram] = await Promise.all([openYandexDisk(), openBotApi()]);
  const say = async (what: string, body: object) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const heard = await fetch(address + what, { method: "POST", headers, body: JSON.stringify(body) });
    if (!heard.ok) throw new Error(await heard.text());
  };
  let stored = { sha256: "", size: 0 };
  const sent = (chat: string) => {
    const documents = telegram.documents(chat);
    const whole = documents.every(({ sha256, size }) => sha256 === stored.sha256 && size === stored.size);
    return { documents: documents.length, whole: whole ? 1 : 0 };
  };
  return {
    bouts: {
      /** Puts the file where it is to be taken from. */
      async open({ bytes = 0 }: Terms) {
        stored = { ...disk.put(PATH, generated(bytes, 1)), size: bytes };
        const entry = { kind: "file", path: PATH, name: "large.bin", size: bytes, revision: stored.sha256 };
        await say("/api/delivery/files", { folder: null, scan: "1", entries: [entry], last: true });
        await say("/api/delivery/users", { id: "1", name: "Reader" });
        await say("/api/delivery/users/1/approve", {});
        const [one, two, three] = [address, disk.url, telegram.url].map((place) =>
          Number(new URL(place).port),
        );
        return { done: bytes, seconds: 0, figures: { pawl: one ?? 0, disk: two ?? 0, telegram: three ?? 0 } };
      },
      /** One job; its time is the journal's, from the beginning of the download to Telegram's word. */
      async order({ round = 0, bytes = 0 }: Terms) {
        const sql = pawl.asSystem();
        const made = await pawl.create(sql, [
          {
            lifecycle: "delivery",
            user_id: "1",
            file_id,
            chat_id: String(1_000 + round),
            request_nonce: String(round),
          },
        ]);
        if (made.kind === "refused") throw new Error(made.detail);
        const id = made.tasks[0]?.id ?? "";
        for (;;) {
          const task = await pawl.find(sql, id);
          if ("kind" in task) throw new Error(task.detail);
          if (task.status === "FAILED" || task.attempt > 0)
            throw new Error(JSON.stringify(task.data.last_error));
          if (task.status === "DELIVERED") break;
          await pause(50);
        }
        const events = await pawl.events(sql, id);
        if ("kind" in events) throw new Error(events.detail);
        const at = (action: string) => events.find((event) => event.action === action)?.created_at ?? 0;
        const seconds = (at("deliver") - at("start_download")) / 1_000;
        const figures = sent(String(1_000 + round));
        await pawl.transaction((tx) => tx`delete from pawl.delivery_cached_file where org_id = 'main'`);
        return { done: bytes, seconds, figures };
      },
      /** What a plain copy has brought to a chat. */
      look({ chat = 0 }: Terms) {
        return Promise.resolve({ done: 0, seconds: 0, figures: sent(String(chat)) });
      },
    },
    close: async () => {
      await server.close();
      await Promise.all([disk.close(), telegram.close()]);
      await pawl.close();
    },
  };
}
