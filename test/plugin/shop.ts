import { z } from "zod";
import { defineRoutes } from "../../src/api/index.ts";
import { defineLifecycle, refuse } from "../../src/core/index.ts";
import { answer, definePlugin, query, serve } from "../../src/plugin/index.ts";

const order = defineLifecycle({
  name: "shop",
  version: 1,
  summary: "Orders of a small shop",
  data: z.object({ item: z.string() }),
  settings: z.object({ hours_to_pack: z.number().positive().default(24) }),
  facts: z.object({ pieces: z.number().optional(), known_item: z.boolean().optional() }),
  statuses: {
    ordered: { timers: [{ action: "remind", since: "entered_at", after: { hours: "hours_to_pack" } }] },
    packed: {},
    sent: { final: true, success: true },
  },
  actions: { pack: { facts: ["pieces"] }, send: {}, remind: {} },
  creation: {
    input: z.object({ item: z.string().min(1) }),
    facts: ["known_item"],
    to: [{ status: "ordered", guards: ["item_is_known"] }],
    draft: ({ input }) => ({ title: input.item, data: { item: input.item } }),
  },
  rules: [
    {
      action: "pack",
      from: "ordered",
      to: "packed",
      who: "anyone",
      guards: ["in_stock"],
      effects: ["take_piece"],
    },
    { action: "send", from: "packed", to: "sent", who: ["anyone", "system"] },
    { action: "remind", from: "ordered", who: "system", guards: ["due"], effects: ["raise_attention"] },
  ],
  guards: {
    item_is_known: ({ facts }) =>
      facts.known_item === true || refuse("UNKNOWN_ITEM", "There is no such item."),
    in_stock: ({ facts }) => (facts.pieces ?? 0) > 0 || refuse("SOLD_OUT", "There is none left."),
  },
  effects: {
    take_piece: { side_effects: ({ task }) => [{ kind: "take_piece", item: task.data.item }] },
  },
});

export const SHOP_ROUTES = defineRoutes({
  readStock: {
    method: "GET",
    path: "/api/shop/stock/{item}",
    group: "shop",
    summary: "Pieces in stock",
    replies: { 200: z.object({ item: z.string(), pieces: z.int(), currency: z.string() }) },
    refusals: ["UNKNOWN_ITEM"],
  },
});

/** A plugin with every part that the engine, the server and the configuration read. */
export const shop = definePlugin({
  lifecycle: order,
  problems: {
    UNKNOWN_ITEM: { status: 404, title: "No such item", next: "Look at the stock." },
    SOLD_OUT: { status: 409, title: "Sold out", next: "Wait for the next delivery." },
  },
  settings: {
    shopCurrency: {
      env: "SHOP_CURRENCY",
      schema: z.string().length(3),
      default: "EUR",
      expected: "a currency of three letters",
      description: "the currency of prices",
    },
    shopPackHours: {
      env: "SHOP_PACK_HOURS",
      schema: z.number().positive(),
      default: 12,
      expected: "a number of hours above 0",
      description: "how long an order may wait",
      projectDefault: "hours_to_pack",
    },
  },
  migrations: new URL("./shop-migrations/", import.meta.url),
  facts: {
    pieces: async (tx, org_id, requests) => {
      const stock = await stockOf(
        tx,
        org_id,
        requests.map(({ task }) => task.data.item),
      );
      return requests.map(({ task }) => stock.get(task.data.item));
    },
  },
  creationFacts: {
    known_item: async (tx, org_id, requests) => {
      const items = requests.map(({ input }) => String(input.item));
      const stock = await stockOf(tx, org_id, items);
      return items.map((item) => stock.has(item));
    },
  },
  effects: {
    take_piece: async (tx, items) => {
      for (const { org_id, task } of items) {
        const item = task.data.item;
        await query(tx, "update pawl.shop_stock set pieces = pieces - 1 where org_id = $1 and item = $2", [
          org_id,
          item,
        ]);
        await query(tx, "insert into pawl.shop_parcel (org_id, task_id, item) values ($1, $2, $3)", [
          org_id,
          task.id,
          item,
        ]);
      }
    },
  },
  sweep: {
    run: async ({ transaction, perform }) => {
      const sent = await transaction((tx) =>
        query<{ org_id: string; task_id: string }>(
          tx,
          "select p.org_id, p.task_id from pawl.shop_parcel p join pawl.task t on t.org_id = p.org_id and t.id = p.task_id where p.sent_at is not null and not t.final",
          [],
        ),
      );
      for (const { org_id, task_id } of sent) await perform(org_id, { task_id, action: "send" });
    },
  },
  prune: {
    removeOfTasks: async (tx, org_id, ids) => {
      await query(tx, "delete from pawl.shop_parcel where org_id = $1 and task_id = any($2::uuid[])", [
        org_id,
        ids,
      ]);
    },
  },
  ui: {
    module: new URL("./shop-ui/screens.js", import.meta.url),
    styles: new URL("./shop-ui/screens.css", import.meta.url),
    tabs: { stock: { en: "Stock", ru: "Склад" } },
    panel: "details",
    texts: {
      en: { summary: "What customers ordered" },
      ru: {
        summary: "Заказы покупателей",
        statuses: { ordered: "Заказано", packed: "Упаковано", sent: "Отправлено" },
        actions: { pack: "Упаковать", send: "Отправить" },
        refusals: { SOLD_OUT: "Кончилось: {item|этого} больше нет." },
      },
    },
  },
  routes: ({ engine, settings }) => [
    serve(SHOP_ROUTES, {
      readStock: async ({ caller, params: { item } }) => {
        const pieces = (await engine.transaction((tx) => stockOf(tx, caller.org_id, [item]))).get(item);
        return pieces === undefined
          ? refuse("UNKNOWN_ITEM", `There is no item "${item}".`)
          : answer(200, { item, pieces, currency: settings.shopCurrency });
      },
    }),
  ],
});

async function stockOf(tx: Parameters<typeof query>[0], org_id: string, items: readonly string[]) {
  const rows = await query<{ item: string; pieces: number }>(
    tx,
    "select item, pieces from pawl.shop_stock where org_id = $1 and item = any($2::text[])",
    [org_id, items],
  );
  return new Map(rows.map(({ item, pieces }) => [item, pieces]));
}
