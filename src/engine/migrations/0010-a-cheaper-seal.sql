-- The seal of a journal row, a quarter as dear: over its key and its moment as they are stored, what many rows share (type,
-- action, statuses and actor, as one text of JSON) and the rest, as it was written down. Nothing in it can be read in two
-- ways: what comes first has its length, and JSON says where it ends.
drop function pawl.seal;

create function pawl.seal(
  previous bytea, task_id uuid, row_version bigint, created_at timestamptz, told text, comment text, payload text, patch text
) returns bytea stable parallel safe language sql
return sha256(previous || uuid_send(task_id) || int8send(row_version) || timestamptz_send(created_at)
  || convert_to(told || coalesce(to_json(comment)::text, '-') || coalesce(payload, '-') || patch, 'UTF8'));
