-- The changes of a task's latest attempt, for people who review them.
create table pawl.code_diff (
  org_id text not null,
  task_id uuid not null,
  base text not null,
  commit text not null,
  files integer not null,
  added integer not null,
  removed integer not null,
  diff text not null,
  truncated boolean not null,
  created_at timestamptz not null default now(),
  constraint code_diff_pkey primary key (org_id, task_id)
);
