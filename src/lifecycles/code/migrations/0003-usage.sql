-- Tokens and cost of each attempt, as its agent reported them; the row of an attempt is replaced by its later reports.
create table pawl.code_usage (
  org_id text not null,
  task_id uuid not null,
  -- The row_version of the task with which this attempt began.
  run integer not null,
  project_id text not null,
  -- In UTC, when the attempt was last reported.
  day date not null,
  agent text not null,
  model text,
  input_tokens bigint not null,
  cached_tokens bigint not null,
  output_tokens bigint not null,
  cost_usd double precision,
  constraint code_usage_pkey primary key (org_id, task_id, run)
);
create index code_usage_by_day on pawl.code_usage (org_id, project_id, day);
