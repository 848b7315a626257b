import { definePlugin } from "pawl/plugin";
import { z } from "zod";
import { addInvoiceCommands } from "./commands.ts";
import { lifecycle } from "./lifecycle.ts";
import { readLimits } from "./limits.ts";
import { deletePayments, savePayments, sumPayments } from "./payments.ts";
import { remindOverdue } from "./remind.ts";
import { invoiceRoutes } from "./routes.ts";
import { TEXTS } from "./texts.ts";

const invoices = definePlugin({
  lifecycle,
  settings: {
    invoicesCurrency: {
      env: "INVOICES_CURRENCY",
      schema: z.string().length(3),
      default: "EUR",
      expected: "a currency code of three letters",
      description: "the currency of all invoices",
    },
  },
  migrations: new URL("../migrations/", import.meta.url),
  facts: {
    own_limit_cents: async (tx, org_id, requests) => {
      const members = requests.map(({ actor }) => actor.id);
      const limits = await readLimits(tx, org_id, members);
      return members.map((id) => limits.get(id) ?? null);
    },
    paid_cents: async (tx, org_id, requests) => {
      const ids = requests.map(({ task }) => task.id);
      const paid = await sumPayments(tx, org_id, ids);
      return ids.map((id) => paid.get(id) ?? 0);
    },
  },
  effects: {
    save_payment: (tx, items) => {
      const payments = items.map(({ task, actor, effect: { amount_cents, paid_on } }) => ({
        task_id: task.id,
        amount_cents,
        paid_on,
        recorded_by: actor.id,
      }));
      // All items of a batch belong to the same org.
      return savePayments(tx, items[0]?.org_id ?? "", payments);
    },
  },
  sweep: { run: remindOverdue, intervalSeconds: () => 86_400 },
  prune: { removeOfTasks: deletePayments },
  routes: invoiceRoutes,
  commands: addInvoiceCommands,
  ui: {
    module: new URL("../dist/screens.js", import.meta.url),
    styles: new URL("../dist/screens.css", import.meta.url),
    tabs: { payments: { en: "Payments", ru: "Платежи" } },
    panel: "details",
    texts: TEXTS,
  },
  demo: () => import("./demo.ts"),
});

export default invoices;
