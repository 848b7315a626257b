-- Recurring patterns. Each node expands them into shifts; a pattern makes at most one shift per date.
create table pawl.planner_shift_pattern (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  name text not null,
  -- Local times; a shift that ends at or before its start ends on the next day.
  starts text not null,
  ends text not null,
  time_zone text not null,
  -- Either weekdays, repeated every n weeks, or a cycle of days on and days off.
  weekdays text[],
  every_weeks integer not null,
  days_on integer,
  days_off integer,
  from_date date not null,
  until_date date,
  except_dates date[] not null,
  members text[] not null,
  ahead_days integer not null,
  -- The last date for which shifts were made.
  expanded_through date not null,
  row_version integer not null,
  created_by text,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint planner_shift_pattern_pkey primary key (org_id, id),
  constraint planner_shift_pattern_repeats check ((weekdays is null) <> (days_on is null))
);
create index planner_shift_pattern_running on pawl.planner_shift_pattern (org_id) where ended_at is null;

-- A canceled shift keeps its members in canceled_members: without rows of planner_shift_member it releases nothing.
alter table pawl.planner_shift
  add column row_version integer not null default 1,
  add column pattern_id uuid,
  add column pattern_date date,
  add column edited boolean not null default false,
  add column canceled_at timestamptz,
  add column canceled_by text,
  add column cancel_reason text,
  add column canceled_members text[];
create unique index planner_shift_of_pattern on pawl.planner_shift (org_id, pattern_id, pattern_date)
  where pattern_id is not null;
create index planner_shift_times on pawl.planner_shift (org_id, ends_at);
