-- The database defends itself, even from psql. In a migration of its own: Citus takes no such triggers, and is set up without it.

-- Statement-level with transition tables: a trigger per row cost twice as much when it was measured.
create function pawl.refuse_undeclared_moves() returns trigger language plpgsql as $$
declare
  bad record;
begin
  select o.id, o.lifecycle, o.status as from_status, n.status as to_status, o.final into bad
  from before_change o join after_change n using (org_id, id)
  where o.status <> n.status
    and (o.final or not exists (
      select from pawl.declared_transition d
      -- Of any version: while nodes of two versions run side by side, a task is moved by either.
      where d.lifecycle = n.lifecycle and d.from_status = o.status and d.to_status = n.status))
  limit 1;
  if found then
    raise exception 'task % of % may not go from % to %', bad.id, bad.lifecycle, bad.from_status, bad.to_status
      using errcode = 'check_violation', constraint = 'a_status_changes_as_declared';
  end if;
  return null;
end $$;

create trigger a_status_changes_as_declared after update on pawl.task
  referencing old table as before_change new table as after_change
  for each statement execute function pawl.refuse_undeclared_moves();

create function pawl.refuse_undeclared_births() returns trigger language plpgsql as $$
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
      using errcode = 'check_violation', constraint = 'a_task_begins_as_declared';
  end if;
  return null;
end $$;

create trigger a_task_begins_as_declared after insert on pawl.task
  referencing new table as after_change
  for each statement execute function pawl.refuse_undeclared_births();

create function pawl.refuse_change_of_journal() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is never changed'
    using errcode = 'check_violation', constraint = 'the_journal_is_never_changed';
end $$;

create trigger the_journal_is_never_changed before update or truncate on pawl.event
  for each statement execute function pawl.refuse_change_of_journal();

-- Journal rows go only after their task has gone.
create function pawl.refuse_loss_of_journal() returns trigger language plpgsql as $$
begin
  if exists (select from before_change e join pawl.task t on t.org_id = e.org_id and t.id = e.task_id) then
    raise exception 'the journal of a task is kept as long as the task'
      using errcode = 'check_violation', constraint = 'a_task_keeps_its_journal';
  end if;
  return null;
end $$;

create trigger a_task_keeps_its_journal after delete on pawl.event
  referencing old table as before_change
  for each statement execute function pawl.refuse_loss_of_journal();

create function pawl.refuse_loss_of_open_tasks() returns trigger language plpgsql as $$
begin
  if exists (select from before_change where not final) then
    raise exception 'only finished tasks are removed'
      using errcode = 'check_violation', constraint = 'an_open_task_is_never_lost';
  end if;
  return null;
end $$;

create trigger an_open_task_is_never_lost after delete on pawl.task
  referencing old table as before_change
  for each statement execute function pawl.refuse_loss_of_open_tasks();

create function pawl.refuse_truncation() returns trigger language plpgsql as $$
begin
  raise exception 'tasks are removed one by one, and only when they are finished'
    using errcode = 'check_violation', constraint = 'tasks_are_never_truncated';
end $$;

create trigger tasks_are_never_truncated before truncate on pawl.task
  for each statement execute function pawl.refuse_truncation();
