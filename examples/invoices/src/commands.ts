import { atServer, print, reaching, textTable } from "pawl/plugin";
import type { AddCommands, ReachFlags } from "pawl/plugin";
import { INVOICE_ROUTES } from "./api.ts";
import { money } from "./money.ts";

/** `pawl invoices` */
export const addInvoiceCommands: AddCommands = (program, surroundings, leave) => {
  reaching(program.command("invoices"))
    .description("Lists the invoices that are left to pay.")
    .action(async ({ json, ...flags }: ReachFlags & { json?: true }) => {
      const totals = await atServer(surroundings, flags, ({ client }) =>
        client.calls(INVOICE_ROUTES).getInvoiceTotals(),
      );
      const rows = totals.unpaid.map(({ title, amount_cents, paid_cents, due_on, overdue }) => [
        title,
        `${money(amount_cents - paid_cents)} ${totals.currency}`,
        overdue ? `${due_on} (overdue)` : due_on,
      ]);
      const text = () =>
        rows.length > 0
          ? textTable(["invoice", "left to pay", "due"], rows, surroundings.out)
          : "Nothing is left to pay.";
      leave(print(surroundings.out, { json, value: totals, text }));
    });
};
