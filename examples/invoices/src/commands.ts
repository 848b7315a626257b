import { atServer, print, textTable, withServerOptions } from "pawl/plugin";
import type { AddCommands, ConnectFlags } from "pawl/plugin";
import { INVOICE_ROUTES } from "./api.ts";
import { money } from "./money.ts";

/** Adds the command `pawl invoices`. */
export const addInvoiceCommands: AddCommands = (program, environment, setExitCode) => {
  withServerOptions(program.command("invoices"))
    .description("Lists unpaid invoices.")
    .action(async ({ json, ...flags }: ConnectFlags & { json?: true }) => {
      const totals = await atServer(environment, flags, ({ client }) =>
        client.calls(INVOICE_ROUTES).getInvoiceTotals(),
      );
      const rows = totals.unpaid.map(({ title, amount_cents, paid_cents, due_on, overdue }) => [
        title,
        `${money(amount_cents - paid_cents)} ${totals.currency}`,
        overdue ? `${due_on} (overdue)` : due_on,
      ]);
      const text = () =>
        rows.length > 0
          ? textTable(["invoice", "left to pay", "due"], rows, environment.out)
          : "There are no unpaid invoices.";
      setExitCode(print(environment.out, { json, value: totals, text }));
    });
};
