import { setTimeout as pause } from "node:timers/promises";
import { SYSTEM } from "../../src/core/index.ts";
import { query } from "../../src/plugin/index.ts";
import { buildServer } from "../../src/server/server.ts";
import { openPawl } from "../../src/main/index.ts";
import { fileIdOf } from "../../src/lifecycles/delivery/file-id.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { pluginSettings, serverPlugins } from "../../src/main/plugins.ts";
import { openBotApi } from "../../test/lifecycles/delivery/stand-ins/bot-api.ts";
import { generated } from "../../test/lifecycles/delivery/stand-ins/content.ts";
import { openYandexDisk } from "../../test/lifecycles/delivery/stand-ins/yandex-disk.ts";
import type { Contender, ContenderOptions, Params } from "../contender.ts";

export const TOKEN = "the-token-of-the-bench";
export const PATH = "disk:/large.bin";
const caller = { org_id: "main", actor: SYSTEM };
const file_id = fileIdOf("main", PATH);

/** Opens a Pawl server with simulated storage and Telegram on loopback, which are as fast as this process can be. */
export async function open({ url }: ContenderOptions): Promise<Contender> {
  const pawl = await openPawl({ url, plugins: PLUGINS, sweepSeconds: 1 });
  const { directory } = pawl;
  await directory.setAdminToken("main", TOKEN);
  const admins = await directory.members(caller);
  for (const { id } of admins.members)
    await directory.changeMember(caller, id, { roles: ["admin", "worker"] });
  const plugins = serverPlugins(PLUGINS, pluginSettings(PLUGINS));
  const server = await buildServer({ engine: pawl.engine, directory, version: "0.0.0", plugins });
  const address = await server.listen({ host: "127.0.0.1", port: 0 });
  const [disk, telegram] = await Promise.all([openYandexDisk(), openBotApi()]);
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const response = await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
  };
  let stored = { sha256: "", size: 0 };
  const sent = (chat: string) => {
    const documents = telegram.documents(chat);
    const complete = documents.every(({ sha256, size }) => sha256 === stored.sha256 && size === stored.size);
    return { documents: documents.length, complete: complete ? 1 : 0 };
  };
  return {
    workloads: {
      /** Stores the file and approves its reader; `figures` has the ports. */
      async open({ bytes = 0 }: Params) {
        stored = { ...disk.put(PATH, generated(bytes, 1)), size: bytes };
        const entry = { kind: "file", path: PATH, name: "large.bin", size: bytes, revision: stored.sha256 };
        await post("/api/delivery/files", { folder: null, scan: "1", entries: [entry], last: true });
        await post("/api/delivery/users", { id: "1", name: "Reader" });
        await post("/api/delivery/users/1/approve", {});
        const [one, two, three] = [address, disk.url, telegram.url].map((server) =>
          Number(new URL(server).port),
        );
        return { done: bytes, seconds: 0, figures: { pawl: one ?? 0, disk: two ?? 0, telegram: three ?? 0 } };
      },
      /** Delivers the file once; the time is taken from the journal, from the start of the download to Telegram's answer. */
      async deliver({ round = 0, bytes = 0 }: Params) {
        const sql = pawl.asSystem();
        const created = await pawl.create(sql, [
          {
            lifecycle: "delivery",
            user_id: "1",
            file_id,
            chat_id: String(1_000 + round),
            request_nonce: String(round),
          },
        ]);
        if (created.kind === "refused") throw new Error(created.detail);
        const id = created.tasks[0]?.id ?? "";
        for (;;) {
          const task = await pawl.find(sql, id);
          if ("kind" in task) throw new Error(task.detail);
          if (task.status === "FAILED" || task.attempt > 0) throw new Error(JSON.stringify(task.data));
          if (task.status === "DELIVERED") break;
          await pause(50);
        }
        const events = await pawl.events(sql, id);
        if ("kind" in events) throw new Error(events.detail);
        const at = (action: string) =>
          Date.parse(events.find((event) => event.action === action)?.created_at ?? "");
        const seconds = (at("deliver") - at("start_download")) / 1_000;
        const figures = sent(String(1_000 + round));
        await pawl.transaction((tx) =>
          query(tx, "delete from pawl.delivery_cached_file where org_id = 'main'", []),
        );
        return { done: bytes, seconds, figures };
      },
      /** Returns the documents that a chat has received. */
      received({ chat = 0 }: Params) {
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
