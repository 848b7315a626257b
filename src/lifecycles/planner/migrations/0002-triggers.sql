-- An available task has no open hold, and all its blockers are done; this applies to every writer. The row triggers have a
-- condition, so tasks of other lifecycles cost nothing. They lock the task, so that the second of two concurrent writers sees
-- the first; the engine holds that lock already.

create function pawl.planner_refuse_false_available() returns trigger language plpgsql as $$
begin
  if exists (
      select from pawl.hold h where h.org_id = new.org_id and h.task_id = new.id and h.released_at is null)
    or exists (
      select from pawl.dependency d left join pawl.task b on b.org_id = d.org_id and b.id = d.blocker_id
      where d.org_id = new.org_id and d.task_id = new.id
        and (not d.resolved or (b.lifecycle = 'planner' and b.status <> 'done'))) then
    raise exception 'task % is not free to take: it is on hold or waits for another task', new.id
      using errcode = 'check_violation', constraint = 'planner_available_is_free';
  end if;
  return null;
end $$;

create trigger planner_created_available_is_free after insert on pawl.task
  for each row when (new.lifecycle = 'planner' and new.status = 'available')
  execute function pawl.planner_refuse_false_available();

create trigger planner_moved_available_is_free after update on pawl.task
  for each row when (new.lifecycle = 'planner' and new.status = 'available' and old.status <> 'available')
  execute function pawl.planner_refuse_false_available();

create function pawl.planner_refuse_hold() returns trigger language plpgsql as $$
declare
  task record;
begin
  select t.id, t.status into task from pawl.task t
  where t.org_id = new.org_id and t.id = new.task_id and t.lifecycle = 'planner'
  for share;
  if task.status = 'available' then
    raise exception 'task % is available: assign or cancel it before it is put on hold', task.id
      using errcode = 'check_violation', constraint = 'planner_available_is_free';
  end if;
  return null;
end $$;

create trigger planner_available_has_no_hold after insert or update on pawl.hold
  for each row when (new.released_at is null) execute function pawl.planner_refuse_hold();

-- Checks many rows at once, because tasks are created together with their dependencies. A dependency counts as resolved only
-- if its blocker is done.
create function pawl.planner_refuse_dependencies() returns trigger language plpgsql as $$
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
      using errcode = 'check_violation', constraint = 'planner_available_is_free';
  end if;
  return null;
end $$;

create trigger planner_available_has_no_dependency after insert on pawl.dependency
  referencing new table as after_change
  for each statement execute function pawl.planner_refuse_dependencies();

create function pawl.planner_refuse_dependency_change() returns trigger language plpgsql as $$
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
      using errcode = 'check_violation', constraint = 'planner_available_is_free';
  end if;
  return null;
end $$;

-- Skips dependencies that become resolved: a blocker that is done has thousands of them.
create trigger planner_available_gets_no_dependency after update on pawl.dependency
  for each row when (not new.resolved or new.blocker_id <> old.blocker_id or new.task_id <> old.task_id)
  execute function pawl.planner_refuse_dependency_change();

-- Work that was begun stays on record: an unfinished task is deleted only if it never had an owner and nothing was
-- recorded about it. The rules refuse other deletions with a reason; the database refuses them for every writer.
create function pawl.planner_refuse_removal() returns trigger language plpgsql as $$
begin
  if exists (select from pawl.demo d where d.org_id = old.org_id and d.state = 'removing') then
    return null;
  end if;
  if exists (
      select from pawl.event e
      where e.org_id = old.org_id and e.task_id = old.id and e.patch ->> 'assigned_to' is not null)
    or exists (select from pawl.planner_defect d where d.org_id = old.org_id and d.task_id = old.id)
    or exists (select from pawl.planner_escalation e where e.org_id = old.org_id and e.task_id = old.id)
    or exists (
      select from pawl.planner_link l where l.org_id = old.org_id and l.kind = 'fix' and l.target = old.id) then
    raise exception 'task % was begun, or has a defect, a fix or an escalation: it is canceled, not deleted', old.id
      using errcode = 'check_violation', constraint = 'planner_begun_task_never_removed';
  end if;
  return null;
end $$;

create trigger planner_begun_task_never_removed after delete on pawl.task
  for each row when (old.lifecycle = 'planner' and not old.final)
  execute function pawl.planner_refuse_removal();

-- The lock serializes this insert with a concurrent deletion of the task.
create function pawl.planner_refuse_defect_without_task() returns trigger language plpgsql as $$
begin
  perform from pawl.task t
  where t.org_id = new.org_id and t.id = new.task_id and t.lifecycle = 'planner'
  for share;
  if not found then
    raise exception 'there is no task % for a defect', new.task_id
      using errcode = 'check_violation', constraint = 'planner_defect_task_exists';
  end if;
  return null;
end $$;

create trigger planner_defect_task_exists after insert on pawl.planner_defect
  for each row execute function pawl.planner_refuse_defect_without_task();
