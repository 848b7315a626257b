-- The database enforces the rules itself, also for psql. A separate migration, because Citus has no such triggers and runs
-- without it. Statement-level triggers with transition tables: row triggers took twice as long in a measurement.

create function pawl.refuse_undeclared_status_change() returns trigger language plpgsql as $$
declare
  bad record;
begin
  select o.id, o.lifecycle, o.status as from_status, n.status as to_status, o.final into bad
  from before_change o join after_change n using (org_id, id)
  where o.status <> n.status
    and (o.final or not exists (
      select from pawl.declared_transition d
      -- Any version counts: while nodes of two versions run side by side, both may move a task.
      where d.lifecycle = n.lifecycle and d.from_status = o.status and d.to_status = n.status))
  limit 1;
  if found then
    raise exception 'task % of % may not go from % to %', bad.id, bad.lifecycle, bad.from_status, bad.to_status
      using errcode = 'check_violation', constraint = 'task_status_change_declared';
  end if;
  return null;
end $$;

create trigger task_status_change_declared after update on pawl.task
  referencing old table as before_change new table as after_change
  for each statement execute function pawl.refuse_undeclared_status_change();

create function pawl.refuse_undeclared_first_status() returns trigger language plpgsql as $$
declare
  bad record;
begin
  select n.id, n.lifecycle, n.status into bad
  from after_change n
  where not exists (
    select from pawl.declared_transition d
    where d.lifecycle = n.lifecycle and d.from_status is null and d.to_status = n.status)
  limit 1;
  if found then
    raise exception 'task % of % may not begin as %', bad.id, bad.lifecycle, bad.status
      using errcode = 'check_violation', constraint = 'task_first_status_declared';
  end if;
  return null;
end $$;

create trigger task_first_status_declared after insert on pawl.task
  referencing new table as after_change
  for each statement execute function pawl.refuse_undeclared_first_status();

create function pawl.refuse_event_change() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is never changed'
    using errcode = 'check_violation', constraint = 'event_never_changed';
end $$;

create trigger event_never_changed before update or truncate on pawl.event
  for each statement execute function pawl.refuse_event_change();

create function pawl.refuse_event_removal() returns trigger language plpgsql as $$
begin
  if exists (select from before_change e join pawl.task t on t.org_id = e.org_id and t.id = e.task_id) then
    raise exception 'the journal of a task is kept as long as the task'
      using errcode = 'check_violation', constraint = 'event_kept_with_task';
  end if;
  return null;
end $$;

create trigger event_kept_with_task after delete on pawl.event
  referencing old table as before_change
  for each statement execute function pawl.refuse_event_removal();

-- An unfinished task may be deleted if its last journal row is the deletion, or with the demo.
create function pawl.refuse_unfinished_task_removal() returns trigger language plpgsql as $$
begin
  if exists (
    select from before_change b
    where not b.final
      and not exists (
        select from pawl.event e
        where e.org_id = b.org_id and e.task_id = b.id and e.row_version = b.row_version and e.type = 'deleted')
      and not exists (select from pawl.demo d where d.org_id = b.org_id and d.state = 'removing')) then
    raise exception 'only finished tasks are removed'
      using errcode = 'check_violation', constraint = 'task_unfinished_never_removed';
  end if;
  return null;
end $$;

create trigger task_unfinished_never_removed after delete on pawl.task
  referencing old table as before_change
  for each statement execute function pawl.refuse_unfinished_task_removal();

create function pawl.refuse_task_truncation() returns trigger language plpgsql as $$
begin
  raise exception 'tasks are removed one by one, and only when they are finished'
    using errcode = 'check_violation', constraint = 'task_never_truncated';
end $$;

create trigger task_never_truncated before truncate on pawl.task
  for each statement execute function pawl.refuse_task_truncation();
