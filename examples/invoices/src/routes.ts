import { isRefusal } from "pawl";
import { answer, notFound, serve, visibleProjects } from "pawl/plugin";
import type { RouteHost, RouteSet } from "pawl/plugin";
import { INVOICE_ROUTES } from "./api.ts";
import { saveLimit } from "./limits.ts";
import { listPayments } from "./payments.ts";
import { listMonths, listUnpaid } from "./totals.ts";

type Host = RouteHost & { settings: { invoicesCurrency: string } };

/** Serves the routes of `INVOICE_ROUTES`. */
export function invoiceRoutes({ engine, settings }: Host): RouteSet[] {
  const currency = settings.invoicesCurrency;
  return [
    serve(INVOICE_ROUTES, {
      getInvoiceTotals: async ({ caller: { org_id, actor } }) => {
        const projects = visibleProjects(actor, null);
        const [months, unpaid] = await engine.transaction((tx) =>
          Promise.all([listMonths(tx, org_id, projects), listUnpaid(tx, org_id, projects)]),
        );
        return answer(200, { currency, months, unpaid });
      },
      listInvoicePayments: async ({ caller, params: { id } }) => {
        // Returns a refusal if the task does not exist or the caller may not see it.
        const task = await engine.find(caller, id);
        if (isRefusal(task)) return task;
        if (task.lifecycle !== "invoices") return notFound(id);
        const payments = await engine.transaction((tx) => listPayments(tx, caller.org_id, task.id));
        return answer(200, { currency, payments });
      },
      setApprovalLimit: async ({ caller, params: { member_id }, body: { limit_cents } }) => {
        await engine.transaction((tx) => saveLimit(tx, caller.org_id, member_id, limit_cents));
        return answer(200, { member_id, limit_cents });
      },
    }),
  ];
}
