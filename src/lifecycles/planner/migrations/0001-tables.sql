-- The planner's own tables. Rows that belong to a task are deleted with it.

create table pawl.planner_link (
  org_id text not null,
  task_id uuid not null,
  kind text not null constraint planner_link_kind_known check (kind in ('deliverable', 'parent', 'fix')),
  -- The deliverable, the parent or the task to be fixed.
  target uuid not null,
  constraint planner_link_pkey primary key (org_id, task_id, kind)
);
create index planner_link_target on pawl.planner_link (org_id, kind, target);

create table pawl.planner_escalation (
  org_id text not null,
  id uuid not null,
  task_id uuid not null,
  reason text not null,
  text text,
  opened_by text,
  opened_at timestamptz not null,
  note text,
  resolved_by text,
  resolved_at timestamptz,
  constraint planner_escalation_pkey primary key (org_id, id)
);
create index planner_escalation_task on pawl.planner_escalation (org_id, task_id);

create table pawl.planner_deliverable (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  type text not null,
  serial text not null,
  status text not null constraint planner_deliverable_status_known
    check (status in ('open', 'submitted_to_qc', 'qc_approved', 'qc_rejected')),
  created_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint planner_deliverable_pkey primary key (org_id, id),
  constraint planner_deliverable_serial_unique unique (org_id, project_id, type, serial)
);

create table pawl.planner_inspection (
  org_id text not null,
  id uuid not null,
  deliverable_id uuid not null,
  result text not null constraint planner_inspection_result_known check (result in ('approved', 'rejected')),
  measurements jsonb not null,
  act text,
  inspector text,
  defect_id uuid,
  fix_task_id uuid,
  created_at timestamptz not null,
  constraint planner_inspection_pkey primary key (org_id, id),
  constraint planner_inspection_deliverable_exists foreign key (org_id, deliverable_id)
    references pawl.planner_deliverable
);
create index planner_inspection_deliverable on pawl.planner_inspection (org_id, deliverable_id);

create table pawl.planner_defect (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  -- The task whose work is defective.
  task_id uuid not null,
  description text not null,
  cause text,
  what_to_fix text,
  severity text not null constraint planner_defect_severity_known check (severity in ('minor', 'major', 'critical')),
  reported_by text,
  reported_at timestamptz not null,
  -- The task that fixes it: the latest one if others were canceled.
  fix_task_id uuid,
  how_fixed text,
  fixed_by text,
  fixed_at timestamptz,
  constraint planner_defect_pkey primary key (org_id, id)
);
create index planner_defect_task on pawl.planner_defect (org_id, task_id);
create index planner_defect_fix on pawl.planner_defect (org_id, fix_task_id) where fix_task_id is not null;

create table pawl.planner_shift (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- No member still owns a task that the end of the shift should have released.
  settled boolean not null,
  created_by text,
  created_at timestamptz not null,
  constraint planner_shift_pkey primary key (org_id, id),
  constraint planner_shift_ends_after_start check (ends_at >= starts_at)
);
create index planner_shift_unsettled on pawl.planner_shift (org_id, ends_at) where not settled;

create table pawl.planner_shift_member (
  org_id text not null,
  shift_id uuid not null,
  member_id text not null,
  constraint planner_shift_member_pkey primary key (org_id, shift_id, member_id),
  constraint planner_shift_member_shift_exists foreign key (org_id, shift_id) references pawl.planner_shift
    on delete cascade
);
create index planner_shift_of_member on pawl.planner_shift_member (org_id, member_id);

-- Tasks that the members of a shift got before its end and still own: in hand, or submitted and not reviewed yet.
create view pawl.planner_work_of_shift as
  select s.org_id, s.id as shift_id, t.id as task_id, t.status in ('assigned', 'in_progress') as in_hand
  from pawl.planner_shift s
  join pawl.planner_shift_member m on m.org_id = s.org_id and m.shift_id = s.id
  join pawl.task t on t.org_id = m.org_id and t.assigned_to = m.member_id and not t.final
  where t.lifecycle = 'planner' and t.project_id = s.project_id
    and (t.data ->> 'assigned_at')::float8 < extract(epoch from s.ends_at) * 1000;

-- The planner's tasks by age, without those of other lifecycles; and those that need attention.
create index planner_task on pawl.task (org_id, id) where lifecycle = 'planner';
create index planner_task_attention on pawl.task (org_id, id) where lifecycle = 'planner' and needs_attention;

-- An available task is free to take: this checks its counters; the triggers check holds and dependencies.
alter table pawl.task add constraint planner_available_is_free check (
  lifecycle <> 'planner' or status <> 'available'
  or (assigned_to is null and open_blockers = 0 and open_holds = 0));
