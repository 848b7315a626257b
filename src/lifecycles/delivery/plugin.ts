import { definePlugin } from "../../plugin/index.ts";
import type { EffectHandler, Tx } from "../../plugin/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { addDeliveryCommands } from "./cli/commands.ts";
import { delivery } from "./lifecycle.ts";
import { DELIVERY_PROBLEMS } from "./problems.ts";
import { deliveryRoutes } from "./routes.ts";
import { DELIVERY_SETTINGS } from "./settings.ts";
import { cacheFiles } from "./sql/cached-files.ts";
import type { CachedFile } from "./sql/cached-files.ts";
import { addNotices } from "./sql/notices.ts";
import { alertAdmins, clearSourceAlert, countOutages } from "./sql/outages.ts";
import { findUsers } from "./sql/users.ts";
import { DELIVERY_TEXTS } from "./texts.ts";

/** File delivery from storage to Telegram chats. */
const plugin = definePlugin({
  lifecycle: delivery,
  problems: DELIVERY_PROBLEMS,
  settings: DELIVERY_SETTINGS,
  migrations: new URL("./migrations/", import.meta.url),
  facts: {
    user: async (tx, org_id, asks) => {
      const ids = asks.map(({ task }) => task.data.user_id);
      const users = await findUsers(tx, org_id, [...new Set(ids)]);
      return ids.map((id) => {
        const user = users.get(id);
        return user === undefined ? null : { status: user.status };
      });
    },
  },
  effects: {
    cache_file: batchHandler((tx, org_id, effects) => {
      // If a file occurs twice, its last entry counts.
      const files = new Map(effects.map((effect) => [effect.file_id, effect]));
      return cacheFiles(tx, org_id, [...files.values()] as unknown as CachedFile[]);
    }),
    notify: batchHandler((tx, org_id, effects) => {
      const notices = effects.map(({ key, notice, user_id, params }) => ({
        key: key as string,
        kind: notice as string,
        user_id: user_id as string,
        params: params as JsonObject,
      }));
      return addNotices(tx, org_id, notices);
    }),
    source_needs_admin: batchHandler((tx, org_id, [effect]) =>
      alertAdmins(tx, org_id, String(effect?.reason)),
    ),
    // The job began to stream after the storage had accepted the token.
    source_is_well: async (tx, items) => {
      const [first] = items;
      if (first)
        await clearSourceAlert(tx, first.org_id, Math.max(...items.map(({ task }) => task.entered_at)));
    },
  },
  gauges: {
    outages: {
      help: "Orgs whose deliveries are paused, by the side that fails",
      labels: ["side", "code"],
      read: async (tx) =>
        (await countOutages(tx)).map(({ side, code, orgs }) => ({ labels: { side, code }, value: orgs })),
    },
  },
  routes: deliveryRoutes,
  commands: addDeliveryCommands,
  ui: {
    module: new URL("./ui/index.js", import.meta.url),
    tabs: {
      queue: { en: "Queue", ru: "Очередь" },
      users: { en: "Users", ru: "Пользователи" },
    },
    panel: "details",
    texts: DELIVERY_TEXTS,
    fields: {
      user_id: {
        pick: {
          from: "/api/delivery/users",
          list: "users",
          value: "id",
          label: ["name", "username"],
          fills: { chat_id: "chat_id" },
        },
      },
      file_id: {
        pick: {
          from: "/api/delivery/files",
          list: "files",
          value: "id",
          label: ["name"],
          search: "q",
          only: { kind: "file" },
          fills: { title: "name" },
        },
      },
      chat_id: { hidden: true },
      request_nonce: { generate: "uuid" },
    },
  },
  demo: () => import("./demo/scene.ts"),
});

// The compiler does not rewrite `import()` inside of `export default`.
export default plugin;

/** Makes an effect handler that writes all effects of one kind in one statement; a transaction has only one org. */
function batchHandler(
  write: (tx: Tx, org_id: string, effects: readonly JsonObject[]) => Promise<void>,
): EffectHandler {
  return async (tx, items) => {
    const [first] = items;
    if (!first) return;
    await write(
      tx,
      first.org_id,
      items.map(({ effect }) => effect),
    );
  };
}
