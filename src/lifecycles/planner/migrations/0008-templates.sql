-- The tasks that one kind of product needs. Creating an instance makes a deliverable and its tasks.
create table pawl.planner_template (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  name text not null,
  -- The type of the deliverables made from it.
  type text not null,
  tasks jsonb not null,
  created_by text,
  created_at timestamptz not null,
  constraint planner_template_pkey primary key (org_id, id),
  constraint planner_template_name_unique unique (org_id, project_id, name)
);
