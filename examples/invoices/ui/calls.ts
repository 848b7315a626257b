import type { ReplyOf } from "pawl/api";
import { client } from "pawl/console";
import type { INVOICE_ROUTES } from "../src/api.ts";

type Routes = Pick<typeof INVOICE_ROUTES, "getInvoiceTotals" | "listInvoicePayments">;
export type Totals = ReplyOf<Routes["getInvoiceTotals"]>;

/** Typed functions for the plugin's routes. Only the type of the table is imported, so its schemas stay out of the bundle. */
export const invoices = client.calls<Routes>({
  getInvoiceTotals: { method: "GET", path: "/api/invoices/totals" },
  listInvoicePayments: { method: "GET", path: "/api/invoices/{id}/payments" },
});
