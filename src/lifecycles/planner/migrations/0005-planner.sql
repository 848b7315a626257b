-- What the planner keeps beside its tasks. What belongs to a task goes when it goes.

create table pawl.planner_link (
  org_id text not null,
  task_id uuid not null,
  kind text not null constraint a_link_is_of_a_known_kind check (kind in ('deliverable', 'parent', 'fix')),
  -- The deliverable, the parent or the task to be fixed.
  target uuid not null,
  constraint a_task_has_one_link_of_a_kind primary key (org_id, task_id, kind)
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
  constraint an_escalation_has_one_id_in_its_org primary key (org_id, id)
);
create index planner_escalation_task on pawl.planner_escalation (org_id, task_id);

create table pawl.planner_deliverable (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  type text not null,
  serial text not null,
  status text not null constraint a_deliverable_has_a_known_status
    check (status in ('open', 'submitted_to_qc', 'qc_approved', 'qc_rejected')),
  created_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint a_deliverable_has_one_id_in_its_org primary key (org_id, id),
  constraint a_serial_names_one_deliverable_of_its_type unique (org_id, project_id, type, serial)
);

create table pawl.planner_inspection (
  org_id text not null,
  id uuid not null,
  deliverable_id uuid not null,
  result text not null constraint an_inspection_has_a_known_result check (result in ('approved', 'rejected')),
  measurements jsonb not null,
  act text,
  inspector text,
  defect_id uuid,
  fix_task_id uuid,
  created_at timestamptz not null,
  constraint an_inspection_has_one_id_in_its_org primary key (org_id, id),
  constraint an_inspection_is_of_a_deliverable foreign key (org_id, deliverable_id)
    references pawl.planner_deliverable
);
create index planner_inspection_deliverable on pawl.planner_inspection (org_id, deliverable_id);

create table pawl.planner_defect (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  -- The task that the work was done under.
  task_id uuid not null,
  description text not null,
  cause text,
  what_to_fix text,
  severity text not null constraint a_defect_has_a_known_severity check (severity in ('minor', 'major', 'critical')),
  reported_by text,
  reported_at timestamptz not null,
  -- The task under which it is mended: the latest, where one was canceled.
  fix_task_id uuid,
  how_fixed text,
  fixed_by text,
  fixed_at timestamptz,
  constraint a_defect_has_one_id_in_its_org primary key (org_id, id)
);
create index planner_defect_task on pawl.planner_defect (org_id, task_id);
create index planner_defect_fix on pawl.planner_defect (org_id, fix_task_id) where fix_task_id is not null;

create table pawl.planner_shift (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Nothing is left that its members own and that it should have released.
  settled boolean not null,
  created_by text,
  created_at timestamptz not null,
  constraint a_shift_has_one_id_in_its_org primary key (org_id, id),
  constraint a_shift_ends_after_it_starts check (ends_at >= starts_at)
);
create index planner_shift_unsettled on pawl.planner_shift (org_id, ends_at) where not settled;

create table pawl.planner_shift_member (
  org_id text not null,
  shift_id uuid not null,
  member_id text not null,
  constraint a_member_is_in_a_shift_once primary key (org_id, shift_id, member_id),
  constraint a_place_in_a_shift_goes_with_it foreign key (org_id, shift_id) references pawl.planner_shift
    on delete cascade
);
create index planner_shift_of_member on pawl.planner_shift_member (org_id, member_id);

-- What the counters of a task say; its rows of holds and dependencies are watched by the defences.
alter table pawl.task add constraint available_is_a_guarantee check (
  lifecycle <> 'planner' or status <> 'available'
  or (assigned_to is null and open_blockers = 0 and open_holds = 0));
