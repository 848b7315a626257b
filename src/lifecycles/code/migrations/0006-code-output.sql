-- What coding agents say while they work, piece by piece in the order it came; the whole of it lies in the worker's own files.
create table pawl.code_output (
  org_id text not null,
  task_id uuid not null,
  seq bigint not null,
  -- The version of the task that began this attempt.
  run integer not null,
  said text not null,
  created_at timestamptz not null default now(),
  constraint a_piece_of_output_has_one_place primary key (org_id, task_id, seq)
);
