-- New work reopens an approved deliverable; these columns show the last time.
alter table pawl.planner_deliverable
  add column reopened_at timestamptz,
  add column reopened_by text,
  add column reopened_for uuid;

-- Repairs what earlier versions allowed: approved deliverables with open work are open again.
update pawl.planner_deliverable d set status = 'open', reopened_at = now(), reopened_for = l.task_id
from pawl.planner_link l, pawl.task t
where l.org_id = d.org_id and l.kind = 'deliverable' and l.target = d.id
  and t.org_id = d.org_id and t.id = l.task_id and not t.final
  and d.status = 'qc_approved';

-- A task has an owner exactly while someone works on it; one that was submitted keeps its owner on record.
alter table pawl.task add constraint planner_owner_fits_status check (
  lifecycle <> 'planner' or status = 'canceled' or (status in ('blocked', 'available')) = (assigned_to is null));

-- A defect belongs to a task, and is removed with it.
alter table pawl.planner_defect add constraint planner_defect_of_task
  foreign key (org_id, task_id) references pawl.task on delete cascade;
