-- Output of coding agents in chunks, ordered by seq. The complete output is in the worker's log files.
create table pawl.code_output (
  org_id text not null,
  task_id uuid not null,
  seq bigint not null,
  -- The row_version of the task with which this attempt began.
  run integer not null,
  said text not null,
  created_at timestamptz not null default now(),
  constraint code_output_pkey primary key (org_id, task_id, seq)
);
