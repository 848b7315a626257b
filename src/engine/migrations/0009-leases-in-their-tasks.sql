-- A lease lies in its task's row: opening and closing one is part of the move that does it, and no row comes and goes. Only
-- who asks for more time has a row beside it, narrow, so that a heartbeat never rewrites a task.
alter table pawl.task
  add lease_token uuid,
  add lease_holder text,
  add leased_at timestamptz,
  add lease_until timestamptz;

-- Counts for the lease that has its token; what came too late for that is nobody's. No index but the key, so that a beat stays
-- on its page.
create table pawl.heartbeat (
  org_id text not null,
  task_id uuid not null,
  token uuid not null,
  beat_at timestamptz not null,
  until timestamptz not null,
  constraint a_task_has_one_heartbeat primary key (org_id, task_id)
) with (fillfactor = 50);

insert into pawl.heartbeat (org_id, task_id, token, beat_at, until)
select l.org_id, l.task_id, l.token, l.heartbeat_at, l.until from pawl.lease l;

update pawl.task t
set lease_token = l.token, lease_holder = l.holder, leased_at = l.heartbeat_at, lease_until = l.until
from pawl.lease l
where t.org_id = l.org_id and t.id = l.task_id;

drop table pawl.lease;

-- For whoever asks who holds what.
create view pawl.lease as
select t.org_id, t.id as task_id, t.lease_token as token, t.lease_holder as holder,
  coalesce(b.until, t.lease_until) as until, coalesce(b.beat_at, t.leased_at) as heartbeat_at
from pawl.task t
left join pawl.heartbeat b on b.org_id = t.org_id and b.task_id = t.id and b.token = t.lease_token
where t.lease_token is not null and not t.final;
