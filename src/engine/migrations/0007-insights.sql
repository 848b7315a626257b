-- Figures about the past of an org's tasks, added up from the feed by the roll-up job. `grain` is the length of a period in
-- seconds. Private events and tasks with readers are not in them. They stay when tasks are pruned.

-- The position in the feed up to which events are in the figures. It changes in the same transaction as the figures.
create table pawl.insight_progress (
  org_id text constraint insight_progress_pkey primary key,
  position bigint not null,
  -- The time of the event at this position; null before the first one.
  counted_until timestamptz
);

-- Moves between statuses. from_status: '+' for a creation, '-' if the task became visible; to_status: '-' if it became
-- private or was deleted.
create table pawl.insight_flow (
  org_id text not null,
  lifecycle text not null,
  grain integer not null,
  start timestamptz not null,
  project_id text not null,
  from_status text not null,
  to_status text not null,
  moves bigint not null,
  constraint insight_flow_pkey primary key (org_id, lifecycle, grain, start, project_id, from_status, to_status)
);

-- Histograms of the time that tasks stayed in the statuses that they left. `bin` is an index into logarithmic bounds. person:
-- the member to whom the task was assigned; '': all tasks, assigned or not.
create table pawl.insight_stay (
  org_id text not null,
  lifecycle text not null,
  grain integer not null,
  person text not null,
  start timestamptz not null,
  project_id text not null,
  status text not null,
  bin smallint not null,
  stays bigint not null,
  constraint insight_stay_pkey primary key (org_id, lifecycle, grain, person, start, project_id, status, bin)
);

-- Histograms of the time from creation to the end of finished tasks. person: the last assignee; '': none.
create table pawl.insight_finish (
  org_id text not null,
  lifecycle text not null,
  grain integer not null,
  start timestamptz not null,
  project_id text not null,
  person text not null,
  bin smallint not null,
  tasks bigint not null,
  constraint insight_finish_pkey primary key (org_id, lifecycle, grain, start, project_id, person, bin)
);

-- The number of tasks in each status at the position of insight_progress, pruned ones included.
create table pawl.insight_level (
  org_id text not null,
  lifecycle text not null,
  project_id text not null,
  status text not null,
  tasks bigint not null,
  constraint insight_level_pkey primary key (org_id, lifecycle, project_id, status)
);

-- Tasks whose events are left out because they have readers.
create table pawl.insight_hidden (
  org_id text not null,
  task_id uuid not null,
  constraint insight_hidden_pkey primary key (org_id, task_id)
);
