-- Output of coding agents, piece by piece in order; the worker's own files have all of it.
create table pawl.code_output (
  org_id text not null,
  task_id uuid not null,
  seq bigint not null,
  -- The version of the task that began this attempt.
  run integer not null,
  said text not null,
  created_at timestamptz not null default now(),
  constraint code_output_pkey primary key (org_id, task_id, seq)
);
