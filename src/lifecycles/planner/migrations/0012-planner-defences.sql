-- Available is a guarantee: no open hold, no blocker that is not done. The engine sees to it; the database refuses it all the
-- same, whoever writes. Row by row, but with a condition: a task of another lifecycle costs nothing.

create function pawl.refuse_false_availability() returns trigger language plpgsql as $$
begin
  if exists (
      select from pawl.hold h where h.org_id = new.org_id and h.task_id = new.id and h.released_at is null)
    or exists (
      select from pawl.dependency d left join pawl.task b on b.org_id = d.org_id and b.id = d.blocker_id
      where d.org_id = new.org_id and d.task_id = new.id
        and (not d.resolved or (b.lifecycle = 'planner' and b.status <> 'done'))) then
    raise exception 'task % is not free to take: something holds it, or comes before it', new.id
      using errcode = 'check_violation', constraint = 'available_is_a_guarantee';
  end if;
  return null;
end $$;

create trigger a_task_begins_available_when_it_is after insert on pawl.task
  for each row when (new.lifecycle = 'planner' and new.status = 'available')
  execute function pawl.refuse_false_availability();

create trigger a_task_becomes_available_when_it_is after update on pawl.task
  for each row when (new.lifecycle = 'planner' and new.status = 'available' and old.status <> 'available')
  execute function pawl.refuse_false_availability();

create function pawl.refuse_hold_on_available() returns trigger language plpgsql as $$
begin
  if exists (
    select from pawl.task t
    where t.org_id = new.org_id and t.id = new.task_id and t.lifecycle = 'planner' and t.status = 'available') then
    raise exception 'task % is available: it is assigned or canceled before it is held up', new.task_id
      using errcode = 'check_violation', constraint = 'available_is_a_guarantee';
  end if;
  return null;
end $$;

create trigger an_available_task_is_not_held after insert or update on pawl.hold
  for each row when (new.released_at is null) execute function pawl.refuse_hold_on_available();

create trigger an_available_task_waits_again_for_none after update on pawl.dependency
  for each row when (not new.resolved) execute function pawl.refuse_hold_on_available();

-- Many at a time: tasks are created with what they wait for.
create function pawl.refuse_blockers_of_available() returns trigger language plpgsql as $$
declare
  bad record;
begin
  select t.id into bad from after_change d join pawl.task t on t.org_id = d.org_id and t.id = d.task_id
  where not d.resolved and t.lifecycle = 'planner' and t.status = 'available' limit 1;
  if found then
    raise exception 'task % is available: it waits for nothing', bad.id
      using errcode = 'check_violation', constraint = 'available_is_a_guarantee';
  end if;
  return null;
end $$;

create trigger an_available_task_waits_for_none after insert on pawl.dependency
  referencing new table as after_change
  for each statement execute function pawl.refuse_blockers_of_available();
