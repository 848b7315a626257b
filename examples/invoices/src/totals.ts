import { query } from "pawl/plugin";
import type { Tx } from "pawl/plugin";

/** Projects that the caller may see; null means all projects. */
type Projects = readonly string[] | null;

export type Month = { month: string; paid_cents: number };
export type Unpaid = {
  id: string;
  title: string;
  status: string;
  row_version: number;
  amount_cents: number;
  paid_cents: number;
  due_on: string;
  overdue: boolean;
};

const LIST_MONTHS = `
  select to_char(m.first_day, 'YYYY-MM') as month, coalesce(sum(p.amount_cents), 0)::float8 as paid_cents
  from generate_series(
    date_trunc('month', now()) - interval '11 months', date_trunc('month', now()), interval '1 month'
  ) as m(first_day)
  left join (
    pawl.invoices_payment p
    join pawl.task t on t.org_id = p.org_id and t.id = p.task_id and ($2::text[] is null or t.project_id = any($2))
  ) on p.org_id = $1 and date_trunc('month', p.paid_on) = m.first_day
  group by m.first_day
  order by m.first_day`;

/** Returns the cents paid in each of the last twelve months, oldest month first. */
export function listMonths(tx: Tx, org_id: string, projects: Projects): Promise<Month[]> {
  return query<Month>(tx, LIST_MONTHS, [org_id, projects]);
}

const LIST_UNPAID = `
  select t.id, t.title, t.status, t.row_version, (t.data->>'amount_cents')::float8 as amount_cents,
    coalesce(sum(p.amount_cents), 0)::float8 as paid_cents, t.data->>'due_on' as due_on,
    (t.data->>'due_on')::date < (now() at time zone 'utc')::date as overdue
  from pawl.task t
  left join pawl.invoices_payment p on p.org_id = t.org_id and p.task_id = t.id
  where t.org_id = $1 and t.lifecycle = 'invoices' and t.status = 'approved'
    and ($2::text[] is null or t.project_id = any($2))
  group by t.org_id, t.id
  order by t.data->>'due_on', t.id`;

/** Returns the approved invoices, earliest due date first. */
export function listUnpaid(tx: Tx, org_id: string, projects: Projects): Promise<Unpaid[]> {
  return query<Unpaid>(tx, LIST_UNPAID, [org_id, projects]);
}
