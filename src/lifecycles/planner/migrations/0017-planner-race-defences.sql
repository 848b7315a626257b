-- Available stays a guarantee when two write at the same moment: what would make it a lie waits for the task, and so does whoever
-- makes the task available. Whoever comes second sees the other. The engine holds the task already, and waits for nothing.

create or replace function pawl.refuse_hold_on_available() returns trigger language plpgsql as $$
declare
  task record;
begin
  select t.id, t.status into task from pawl.task t
  where t.org_id = new.org_id and t.id = new.task_id and t.lifecycle = 'planner'
  for share;
  if task.status = 'available' then
    raise exception 'task % is available: it is assigned or canceled before it is held up', task.id
      using errcode = 'check_violation', constraint = 'available_is_a_guarantee';
  end if;
  return null;
end $$;

-- A dependency that calls itself resolved is believed only if its blocker is done.
create or replace function pawl.refuse_blockers_of_available() returns trigger language plpgsql as $$
declare
  bad record;
begin
  perform from after_change d join pawl.task t on t.org_id = d.org_id and t.id = d.task_id
  where t.lifecycle = 'planner'
  order by t.id
  for share of t;
  select t.id into bad from after_change d
  join pawl.task t on t.org_id = d.org_id and t.id = d.task_id
  left join pawl.task b on b.org_id = d.org_id and b.id = d.blocker_id
  where t.lifecycle = 'planner' and t.status = 'available'
    and (not d.resolved or (b.lifecycle = 'planner' and b.status <> 'done'))
  limit 1;
  if found then
    raise exception 'task % is available: it waits for nothing', bad.id
      using errcode = 'check_violation', constraint = 'available_is_a_guarantee';
  end if;
  return null;
end $$;

drop trigger an_available_task_waits_again_for_none on pawl.dependency;

create function pawl.refuse_waiting_of_available() returns trigger language plpgsql as $$
declare
  task record;
begin
  select t.id, t.status into task from pawl.task t
  where t.org_id = new.org_id and t.id = new.task_id and t.lifecycle = 'planner'
  for share;
  if task.status = 'available' and (not new.resolved or exists (
      select from pawl.task b
      where b.org_id = new.org_id and b.id = new.blocker_id and b.lifecycle = 'planner' and b.status <> 'done')) then
    raise exception 'task % is available: it waits for nothing', task.id
      using errcode = 'check_violation', constraint = 'available_is_a_guarantee';
  end if;
  return null;
end $$;

-- Not for each that is resolved: of those a blocker that is done has thousands.
create trigger an_available_task_waits_again_for_none after update on pawl.dependency
  for each row when (not new.resolved or new.blocker_id <> old.blocker_id or new.task_id <> old.task_id)
  execute function pawl.refuse_waiting_of_available();
