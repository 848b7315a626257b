create table pawl.shop_stock (
  org_id text not null,
  item text not null,
  pieces integer not null constraint shop_stock_not_negative check (pieces >= 0),
  constraint shop_stock_pkey primary key (org_id, item)
);
create table pawl.shop_parcel (
  org_id text not null,
  task_id uuid not null,
  item text not null,
  sent_at timestamptz,
  constraint shop_parcel_pkey primary key (org_id, task_id)
);
