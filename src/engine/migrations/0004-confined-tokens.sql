-- A token may open less than its member may do, and for a while only: what a chat's callbacks and a task's agent are given.
alter table pawl.token
  -- null: no bounds but the member's own
  add column confined_to jsonb,
  add column expires_at timestamptz;
