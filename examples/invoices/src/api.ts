import { defineRoutes } from "pawl/api";
import { z } from "zod";

const cents = z.int().min(0);

/** The plugin's routes: read by the server, the clients and the OpenAPI document. */
export const INVOICE_ROUTES = defineRoutes({
  getInvoiceTotals: {
    method: "GET",
    path: "/api/invoices/totals",
    group: "invoices",
    summary: "Payments per month, and unpaid invoices",
    replies: {
      200: z.object({
        currency: z.string(),
        months: z.array(z.object({ month: z.string(), paid_cents: cents })),
        unpaid: z.array(
          z.object({
            id: z.string(),
            title: z.string(),
            status: z.string(),
            row_version: z.int(),
            amount_cents: cents,
            paid_cents: cents,
            due_on: z.iso.date(),
            overdue: z.boolean(),
          }),
        ),
      }),
    },
  },
  listInvoicePayments: {
    method: "GET",
    path: "/api/invoices/{id}/payments",
    group: "invoices",
    summary: "Payments of an invoice",
    replies: {
      200: z.object({
        currency: z.string(),
        payments: z.array(z.object({ amount_cents: cents, paid_on: z.iso.date(), recorded_by: z.string() })),
      }),
    },
    refusals: ["TASK_NOT_FOUND"],
  },
  setApprovalLimit: {
    method: "PUT",
    path: "/api/invoices/limits/{member_id}",
    group: "invoices",
    summary: "Set the amount that a member may approve",
    access: "admin",
    body: z.object({ limit_cents: cents }),
    replies: { 200: z.object({ member_id: z.string(), limit_cents: cents }) },
  },
});
