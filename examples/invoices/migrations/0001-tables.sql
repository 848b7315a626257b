create table pawl.invoices_payment (
  org_id text not null,
  id bigint generated always as identity,
  task_id uuid not null,
  amount_cents bigint not null constraint invoices_payment_positive check (amount_cents > 0),
  paid_on date not null,
  recorded_by text not null,
  constraint invoices_payment_pkey primary key (org_id, task_id, id)
);

-- The amount that a member may approve; a member without a row has the limit of the project.
create table pawl.invoices_limit (
  org_id text not null,
  member_id text not null,
  limit_cents bigint not null constraint invoices_limit_not_negative check (limit_cents >= 0),
  constraint invoices_limit_pkey primary key (org_id, member_id)
);
