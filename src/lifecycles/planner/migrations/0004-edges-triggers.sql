-- The rules of 0003 that need triggers: defects, links and dependencies stay within the project of their task.

create or replace function pawl.planner_refuse_defect_without_task() returns trigger language plpgsql as $$
begin
  -- The lock serializes this with a concurrent deletion of the task.
  perform from pawl.task t
  where t.org_id = new.org_id and t.id = new.task_id and t.lifecycle = 'planner' and t.project_id = new.project_id
  for share;
  if not found then
    raise exception 'there is no task % in project % for a defect', new.task_id, new.project_id
      using errcode = 'check_violation', constraint = 'planner_defect_task_exists';
  end if;
  return null;
end $$;

create trigger planner_changed_defect_task_exists after update of task_id, project_id on pawl.planner_defect
  for each row execute function pawl.planner_refuse_defect_without_task();

-- Tasks are linked only within their project. Links and dependencies of a new task are saved before its row, so they are
-- checked with the row; later ones are checked when they are saved.
create function pawl.planner_is_linked_elsewhere(org text, task uuid) returns boolean language sql stable as $$
  select exists (
      select from pawl.task t
      join pawl.planner_link l on l.org_id = t.org_id and l.task_id = t.id
      left join pawl.planner_deliverable d
        on l.kind = 'deliverable' and d.org_id = l.org_id and d.id = l.target
      left join pawl.task o on l.kind <> 'deliverable' and o.org_id = l.org_id and o.id = l.target
      where t.org_id = org and t.id = task and coalesce(d.project_id, o.project_id) is distinct from t.project_id)
    or exists (
      select from pawl.task t
      join pawl.dependency w on w.org_id = t.org_id and w.task_id = t.id
      join pawl.task b on b.org_id = w.org_id and b.id = w.blocker_id
      where t.org_id = org and t.id = task and t.lifecycle = 'planner' and b.project_id <> t.project_id)
$$;

create function pawl.planner_refuse_foreign_task() returns trigger language plpgsql as $$
begin
  if pawl.planner_is_linked_elsewhere(new.org_id, new.id) then
    raise exception 'task % is linked to something outside its project', new.id
      using errcode = 'check_violation', constraint = 'planner_linked_in_project';
  end if;
  return null;
end $$;

create trigger planner_created_task_linked_in_project after insert on pawl.task
  for each row when (new.lifecycle = 'planner') execute function pawl.planner_refuse_foreign_task();

create trigger planner_moved_task_linked_in_project after update on pawl.task
  for each row when (new.lifecycle = 'planner' and old.project_id <> new.project_id)
  execute function pawl.planner_refuse_foreign_task();

create function pawl.planner_refuse_foreign_link() returns trigger language plpgsql as $$
begin
  if pawl.planner_is_linked_elsewhere(new.org_id, new.task_id) then
    raise exception 'task % is linked to something outside its project', new.task_id
      using errcode = 'check_violation', constraint = 'planner_linked_in_project';
  end if;
  return null;
end $$;

create trigger planner_linked_in_project after insert or update on pawl.planner_link
  for each row execute function pawl.planner_refuse_foreign_link();

-- Skips dependencies that become resolved: a blocker that is done has thousands of them.
create trigger planner_changed_dependency_in_project after update on pawl.dependency
  for each row when (new.blocker_id <> old.blocker_id or new.task_id <> old.task_id)
  execute function pawl.planner_refuse_foreign_link();

create function pawl.planner_refuse_foreign_dependencies() returns trigger language plpgsql as $$
declare
  bad record;
begin
  select t.id into bad from after_change d
  join pawl.task t on t.org_id = d.org_id and t.id = d.task_id and t.lifecycle = 'planner'
  join pawl.task b on b.org_id = d.org_id and b.id = d.blocker_id
  where b.project_id <> t.project_id
  limit 1;
  if found then
    raise exception 'task % would wait for a task outside its project', bad.id
      using errcode = 'check_violation', constraint = 'planner_linked_in_project';
  end if;
  return null;
end $$;

create trigger planner_dependency_in_project after insert on pawl.dependency
  referencing new table as after_change
  for each statement execute function pawl.planner_refuse_foreign_dependencies();

create function pawl.planner_refuse_deliverable_move() returns trigger language plpgsql as $$
begin
  raise exception 'deliverable % stays in its project', new.id
    using errcode = 'check_violation', constraint = 'planner_linked_in_project';
end $$;

create trigger planner_deliverable_stays_in_project after update of project_id on pawl.planner_deliverable
  for each row when (old.project_id <> new.project_id) execute function pawl.planner_refuse_deliverable_move();

-- Before the deletion: afterwards the defects, which forbid it, are already removed with the task.
drop trigger planner_begun_task_never_removed on pawl.task;

create or replace function pawl.planner_refuse_removal() returns trigger language plpgsql as $$
begin
  if exists (select from pawl.demo d where d.org_id = old.org_id and d.state = 'removing') then
    return old;
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
  return old;
end $$;

create trigger planner_begun_task_never_removed before delete on pawl.task
  for each row when (old.lifecycle = 'planner' and not old.final)
  execute function pawl.planner_refuse_removal();
