-- What was made up may go as it stands: the demo's open tasks, while the demo is being removed.
create or replace function pawl.refuse_loss_of_open_tasks() returns trigger language plpgsql as $$
begin
  if exists (
    select from before_change b
    where not b.final
      and not exists (
        select from pawl.event e
        where e.org_id = b.org_id and e.task_id = b.id and e.row_version = b.row_version and e.type = 'deleted')
      and not exists (select from pawl.demo d where d.org_id = b.org_id and d.state = 'removing')) then
    raise exception 'only finished tasks are removed'
      using errcode = 'check_violation', constraint = 'an_open_task_is_never_lost';
  end if;
  return null;
end $$;
