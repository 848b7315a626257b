import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { check } from "pawl";
import { query } from "pawl/plugin";
import { afterAll, expect, test } from "vitest";
import { INVOICE_ROUTES } from "../src/api.ts";
import invoices from "../src/plugin.ts";
import { day, invoice, openOffice } from "./office.ts";

const { server, join, ann, bob, dora, dan } = await openOffice();
afterAll(() => server.stop());

const payments = async (id: string) =>
  (await ann.client.calls(INVOICE_ROUTES).listInvoicePayments({ id })).payments;

const approved = async (amount_cents: number, due_on = day(30)) => {
  const { id } = await ann.invoices.create(invoice(amount_cents, { due_on }));
  await dora.invoices.act(id, "approve");
  return id;
};

test("`check` finds no mistake in the lifecycle", () => {
  expect(check(invoices.lifecycle).findings).toEqual([]);
});

test("an approver may approve up to the limit, and a director above it", async () => {
  const small = await ann.invoices.create(invoice(100_000));
  expect((await bob.invoices.act(small.id, "approve")).task.status).toBe("approved");

  const large = await ann.invoices.create(invoice(100_001));
  await expect(bob.invoices.act(large.id, "approve")).rejects.toMatchObject({
    code: "ABOVE_LIMIT",
    status: 403,
    detail: "1000.01 is above your limit of 1000.00.",
  });
  await bob.invoices.act(large.id, "escalate", { comment: "A new server." });
  expect((await dora.invoices.act(large.id, "approve")).task.status).toBe("approved");
});

test("an admin sets the limit of an approver", async () => {
  const { invoices: of, client } = await join("eve", ["approver"]);
  const limit = { member_id: "eve", limit_cents: 500_000 };
  await expect(client.calls(INVOICE_ROUTES).setApprovalLimit(limit)).rejects.toMatchObject({ status: 403 });
  expect(await server.client.calls(INVOICE_ROUTES).setApprovalLimit(limit)).toEqual(limit);
  const { id } = await ann.invoices.create(invoice(500_000));
  expect((await of.act(id, "approve")).task.status).toBe("approved");
});

test("a director cannot approve an invoice that the same member escalated", async () => {
  const { id } = await ann.invoices.create(invoice(200_000));
  await dan.invoices.act(id, "escalate", { comment: "Twice the usual price." });
  await expect(dan.invoices.act(id, "approve")).rejects.toMatchObject({ code: "OWN_INVOICE" });
  expect((await dora.invoices.act(id, "approve")).task.status).toBe("approved");
});

test("the last payment settles an invoice, and a repeated request pays once", async () => {
  const id = await approved(90_000);
  const pay = (amount_cents: number, client_event_id?: string) =>
    ann.invoices.act(id, "record_payment", { payload: { amount_cents, paid_on: day(0) }, client_event_id });

  expect((await pay(60_000, "first-part")).task.status).toBe("approved");
  expect((await pay(60_000, "first-part")).task.row_version).toBe(3);
  await expect(pay(30_001)).rejects.toMatchObject({
    code: "OVERPAID",
    detail: "Only 300.00 is left to pay.",
  });
  expect((await pay(30_000)).task.status).toBe("paid");
  expect(await payments(id)).toMatchObject([{ amount_cents: 60_000 }, { amount_cents: 30_000 }]);
});

test("two payments at the same moment cannot exceed the amount of the invoice", async () => {
  const id = await approved(10_000);
  const payload = { amount_cents: 6_000, paid_on: day(0) };
  const both = [1, 2].map(() => ann.invoices.act(id, "record_payment", { payload }));
  const outcomes = (await Promise.allSettled(both)).map(({ status }) => status);
  expect(outcomes.sort()).toEqual(["fulfilled", "rejected"]);
  expect(await payments(id)).toHaveLength(1);
});

test("the sweep marks an overdue invoice once, until it is paid", async () => {
  const [late, intime] = [await approved(5_000, day(-1)), await approved(5_000, day(0))];
  await server.pawl.sweep();
  await server.pawl.sweep();
  expect((await ann.invoices.get(intime)).needs_attention).toBe(false);
  const reminders = (await ann.invoices.journal(late)).filter(({ action }) => action === "remind");
  expect(reminders).toHaveLength(1);
  const payload = { amount_cents: 5_000, paid_on: day(0) };
  const { task } = await ann.invoices.act(late, "record_payment", { payload });
  expect(task).toMatchObject({ status: "paid", needs_attention: false });
});

test("retention deletes the payments of deleted invoices", async () => {
  const id = await approved(7_000);
  await ann.invoices.act(id, "record_payment", { payload: { amount_cents: 7_000, paid_on: day(0) } });
  const count = () =>
    server.pawl.transaction((tx) =>
      query(tx, "select 1 from pawl.invoices_payment where task_id = $1", [id]),
    );
  expect(await count()).toHaveLength(1);
  await server.pawl.prune({ org_id: "main", before: Date.now() + 1_000 });
  expect(await count()).toHaveLength(0);
});

test("totals and payments cover only projects that the caller may see", async () => {
  await server.pawl.createProject({ id: "branch" });
  const { client } = await join("zoe", ["accountant"], { project_ids: ["branch"] });
  const id = await approved(1_000);
  await expect(client.calls(INVOICE_ROUTES).listInvoicePayments({ id })).rejects.toMatchObject({
    code: "TASK_NOT_FOUND",
  });
  const seen = async (of: typeof client) => await of.calls(INVOICE_ROUTES).getInvoiceTotals();
  expect((await seen(client)).unpaid).toEqual([]);
  expect((await seen(ann.client)).unpaid).toContainEqual(expect.objectContaining({ id, overdue: false }));
});

test("`pawl invoices` lists unpaid invoices", async () => {
  const id = await approved(4_000, day(-2));
  const env = { ...process.env, PAWL_URL: server.url, PAWL_TOKEN: ann.token };
  const { stdout } = await promisify(execFile)("npm", ["exec", "--", "pawl", "invoices"], { env });
  const { title } = await ann.invoices.get(id);
  expect(stdout).toMatch(new RegExp(`${title} +40.00 USD +${day(-2)} \\(overdue\\)`));
});
