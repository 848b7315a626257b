import { asRows, query } from "pawl/plugin";
import type { Tx } from "pawl/plugin";

export type Payment = { amount_cents: number; paid_on: string; recorded_by: string };

const SAVE_PAYMENTS = `
  insert into pawl.invoices_payment (org_id, task_id, amount_cents, paid_on, recorded_by)
  select $1, p.task_id, p.amount_cents, p.paid_on, p.recorded_by
  from json_to_recordset($2::text::json)
    as p(task_id uuid, amount_cents bigint, paid_on date, recorded_by text)`;

/** Saves payments of one org. The amount and date come from the side effect, so PostgreSQL checks their types. */
export async function savePayments(
  tx: Tx,
  org_id: string,
  payments: readonly {
    task_id: string;
    amount_cents: unknown;
    paid_on: unknown;
    recorded_by: string | null;
  }[],
): Promise<void> {
  await query(tx, SAVE_PAYMENTS, [org_id, asRows(payments)]);
}

const SUM_PAYMENTS = `
  select p.task_id, sum(p.amount_cents)::float8 as paid_cents
  from pawl.invoices_payment p
  where p.org_id = $1 and p.task_id = any($2::uuid[])
  group by p.task_id`;

/** Returns the cents paid so far by task id; an invoice without payments has no entry. */
export async function sumPayments(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await query<{ task_id: string; paid_cents: number }>(tx, SUM_PAYMENTS, [org_id, ids]);
  return new Map(rows.map(({ task_id, paid_cents }) => [task_id, paid_cents]));
}

const LIST_PAYMENTS = `
  select p.amount_cents::float8 as amount_cents, p.paid_on::text as paid_on, p.recorded_by
  from pawl.invoices_payment p
  where p.org_id = $1 and p.task_id = $2
  order by p.paid_on, p.id`;

/** Returns the payments of an invoice, oldest first. */
export function listPayments(tx: Tx, org_id: string, task_id: string): Promise<Payment[]> {
  return query<Payment>(tx, LIST_PAYMENTS, [org_id, task_id]);
}

const DELETE_PAYMENTS = `
  delete from pawl.invoices_payment p where p.org_id = $1 and p.task_id = any($2::uuid[])`;

/** Deletes the payments of invoices that retention has deleted. */
export async function deletePayments(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  await query(tx, DELETE_PAYMENTS, [org_id, ids]);
}
