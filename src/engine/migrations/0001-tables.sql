-- The tables of Pawl. Every key begins with org_id: one transaction touches one org, and the tables can be spread by it.

create table pawl.org (
  id text constraint an_org_has_one_id primary key,
  -- The last position given out in this org's feed; its row lock keeps the feed in commit order.
  feed_position bigint not null default 0,
  created_at timestamptz not null default now()
);

create table pawl.project (
  org_id text not null constraint a_project_belongs_to_an_org references pawl.org,
  id text not null,
  name text not null,
  -- Settings by lifecycle: {"board": {"status_deadlines": {"NEW": 60}}}
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  constraint a_project_has_one_id_in_its_org primary key (org_id, id)
);

create table pawl.member (
  org_id text not null constraint a_member_belongs_to_an_org references pawl.org,
  id text not null,
  name text not null,
  kind text not null constraint a_member_is_of_a_known_kind check (kind in ('human', 'agent', 'worker', 'service')),
  roles text[] not null default '{}',
  -- null: every project of the org
  project_ids text[],
  skill_level integer,
  specializations text[] not null default '{}',
  active boolean not null default true,
  created_at timestamptz not null default now(),
  constraint a_member_has_one_id_in_its_org primary key (org_id, id)
);

create table pawl.task (
  org_id text not null,
  id uuid not null,
  lifecycle text not null,
  lifecycle_version integer not null,
  project_id text not null,
  status text not null,
  row_version integer not null,
  title text not null,
  data jsonb not null,
  created_by text,
  assigned_to text,
  private boolean not null,
  priority integer not null,
  attempt integer not null,
  open_blockers integer not null constraint blockers_are_counted_from_zero check (open_blockers >= 0),
  open_holds integer not null constraint holds_are_counted_from_zero check (open_holds >= 0),
  due_at timestamptz,
  due_action text,
  available_at timestamptz,
  exclusive_key text,
  dedupe_key text,
  needs_attention boolean not null,
  -- Derived from the status by the lifecycle: free to take, and never to move again. Partial indexes stand on them.
  pooled boolean not null,
  final boolean not null,
  -- Of the newest journal row: the next one is sealed with it.
  journal_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  entered_at timestamptz not null,
  constraint a_task_has_one_id_in_its_org primary key (org_id, id)
) with (fillfactor = 75);

-- Finished tasks are in none of these, so they cost nothing.
create index task_pool on pawl.task (org_id, lifecycle, priority desc, id) where pooled;
create index task_timer on pawl.task (org_id, due_at) where due_at is not null;
create index task_unfinished on pawl.task (org_id, lifecycle, status, id) where not final;
create index task_assignee on pawl.task (org_id, assigned_to) where assigned_to is not null and not final;
create unique index an_exclusive_key_has_one_holder on pawl.task (org_id, exclusive_key) where exclusive_key is not null;
create unique index a_dedupe_key_makes_one_task on pawl.task (org_id, lifecycle, dedupe_key) where dedupe_key is not null;

-- Narrow, so that a heartbeat never rewrites a task; no index but the key, so that it stays on its page.
create table pawl.lease (
  org_id text not null,
  task_id uuid not null,
  token uuid not null,
  holder text not null,
  until timestamptz not null,
  heartbeat_at timestamptz not null,
  constraint a_task_has_one_lease primary key (org_id, task_id)
) with (fillfactor = 50);

-- The journal: row_version n of a task means n rows. Never changed; gone only together with a finished task.
create table pawl.event (
  org_id text not null,
  task_id uuid not null,
  row_version bigint not null,
  position bigint not null,
  lifecycle text not null,
  project_id text not null,
  type text not null,
  action text not null,
  from_status text,
  to_status text,
  actor_id text,
  comment text,
  -- json, not jsonb: it is never searched, and its text is what the seal is made over.
  payload json,
  -- What changed of the row: folded from the first row on, these give the task.
  patch json not null,
  private boolean not null,
  client_event_id text,
  expected_row_version integer,
  -- Over this row and the hash of the one before.
  hash bytea not null,
  created_at timestamptz not null,
  constraint an_event_counts_once_for_its_task primary key (org_id, task_id, row_version)
);
create unique index a_position_of_the_feed_is_given_once on pawl.event (org_id, position);

-- What a client_event_id was used for, and what was answered.
create table pawl.request (
  org_id text not null,
  client_event_id text not null,
  actor_id text,
  fingerprint bytea not null,
  answer jsonb not null,
  created_at timestamptz not null,
  constraint an_event_id_is_used_once primary key (org_id, client_event_id)
);
-- Others are found by the journal rows that carry their key, when their tasks go; these have left none.
create index request_without_event on pawl.request (org_id, (answer -> 'task' ->> 'id'))
  where answer ->> 'outcome' in ('touched', 'absorbed');

create table pawl.dependency (
  org_id text not null,
  task_id uuid not null,
  blocker_id uuid not null,
  on_failure text not null constraint a_failure_has_a_known_policy check (on_failure in ('wait', 'proceed', 'fail')),
  -- The blocker no longer holds the task up.
  resolved boolean not null,
  constraint a_task_waits_once_for_another primary key (org_id, task_id, blocker_id)
);
-- Of all of them: were it for the unresolved alone, resolving one could not stay on its page.
create index dependency_blocker on pawl.dependency (org_id, blocker_id);

create table pawl.hold (
  org_id text not null,
  id uuid not null,
  task_id uuid not null,
  kind text not null,
  reason text,
  placed_by text,
  placed_at timestamptz not null,
  released_by text,
  released_at timestamptz,
  constraint a_hold_has_one_id_in_its_org primary key (org_id, id)
);
create index hold_task on pawl.hold (org_id, task_id);

-- The lifecycles that tasks were created under, as they were declared.
create table pawl.lifecycle (
  name text not null,
  version integer not null,
  definition jsonb not null,
  constraint a_version_of_a_lifecycle_is_declared_once primary key (name, version)
);

create table pawl.declared_transition (
  lifecycle text not null,
  version integer not null,
  -- null: creation
  from_status text,
  to_status text not null,
  constraint a_transition_is_declared_once unique nulls not distinct (lifecycle, from_status, to_status, version)
);

-- The seal of a journal row: over all that it says, as one unambiguous text, and the seal of the row before.
create function pawl.seal(
  previous bytea, task_id uuid, row_version bigint, type text, action text, from_status text, to_status text,
  actor_id text, comment text, payload json, patch json, created_at timestamptz
) returns bytea stable parallel safe language sql
return sha256(previous || convert_to(json_build_array(
  task_id, row_version, type, action, from_status, to_status, actor_id, comment, payload, patch,
  extract(epoch from created_at)
)::text, 'UTF8'));
