import { query } from "pawl/plugin";
import type { SweepTools, Tx } from "pawl/plugin";

const FIND_OVERDUE = `
  select t.org_id, t.id from pawl.task t
  where t.lifecycle = 'invoices' and t.status = 'approved' and not t.needs_attention
    and (t.data->>'due_on')::date < (now() at time zone 'utc')::date`;

/** Marks overdue invoices. Every node runs this; the guards of `remind` accept each invoice once. */
export async function remindOverdue({ transaction, perform }: SweepTools): Promise<void> {
  for (const { org_id, id } of await transaction(findOverdue))
    await perform(org_id, { task_id: id, action: "remind" });
}

function findOverdue(tx: Tx): Promise<{ org_id: string; id: string }[]> {
  return query(tx, FIND_OVERDUE, []);
}
