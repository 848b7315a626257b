-- Work that was begun stays on record: an unfinished task is deleted only if it never had an owner and nothing was recorded
-- about it. The rules refuse other deletions with a reason; the database refuses them for every writer.

create function pawl.refuse_loss_of_begun_task() returns trigger language plpgsql as $$
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
      using errcode = 'check_violation', constraint = 'a_begun_task_is_never_deleted';
  end if;
  return null;
end $$;

create trigger a_begun_task_is_never_deleted after delete on pawl.task
  for each row when (old.lifecycle = 'planner' and not old.final)
  execute function pawl.refuse_loss_of_begun_task();

-- The lock serializes this insert with a concurrent deletion.
create function pawl.refuse_defect_without_task() returns trigger language plpgsql as $$
begin
  perform from pawl.task t
  where t.org_id = new.org_id and t.id = new.task_id and t.lifecycle = 'planner'
  for share;
  if not found then
    raise exception 'there is no task % for a defect', new.task_id
      using errcode = 'check_violation', constraint = 'a_defect_has_its_task';
  end if;
  return null;
end $$;

create trigger a_defect_has_its_task after insert on pawl.planner_defect
  for each row execute function pawl.refuse_defect_without_task();
