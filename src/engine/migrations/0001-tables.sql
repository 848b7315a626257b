-- The engine's tables. Every key begins with org_id: one transaction touches one org, so the tables can be distributed by it.

create table pawl.org (
  id text constraint org_pkey primary key,
  -- The last position of this org's feed. The row lock keeps the feed in commit order.
  feed_position bigint not null default 0,
  -- Counts the changes of the settings of the org's projects. A decision made with cached settings checks it.
  settings_version integer not null default 0,
  created_at timestamptz not null default now()
);

create table pawl.project (
  org_id text not null constraint project_org_exists references pawl.org,
  id text not null,
  name text not null,
  -- Settings by lifecycle: {"board": {"status_deadlines": {"NEW": 60}}}
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  constraint project_pkey primary key (org_id, id)
);

create table pawl.member (
  org_id text not null constraint member_org_exists references pawl.org,
  id text not null,
  name text not null,
  kind text not null constraint member_kind_known check (kind in ('human', 'agent', 'worker', 'service')),
  roles text[] not null default '{}',
  -- null: every project of the org
  project_ids text[],
  skill_level integer,
  specializations text[] not null default '{}',
  active boolean not null default true,
  created_at timestamptz not null default now(),
  constraint member_pkey primary key (org_id, id)
);

-- Tokens by their hashes; a token itself is shown once.
create table pawl.token (
  org_id text not null,
  id uuid not null,
  member_id text not null,
  hash bytea not null,
  -- null: created by Pawl itself, for the admin
  created_by text,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  -- Further restrictions of the token, for a chat's callbacks and a task's agent; null: none
  confined_to jsonb,
  expires_at timestamptz,
  constraint token_pkey primary key (org_id, id),
  constraint token_hash_unique unique (org_id, hash),
  constraint token_member_exists foreign key (org_id, member_id) references pawl.member
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
  open_blockers integer not null constraint task_open_blockers_not_negative check (open_blockers >= 0),
  open_holds integer not null constraint task_open_holds_not_negative check (open_holds >= 0),
  due_at timestamptz,
  due_action text,
  available_at timestamptz,
  exclusive_key text,
  dedupe_key text,
  needs_attention boolean not null,
  -- Derived from the status by the lifecycle: pooled tasks are free to take, final ones never move again. For partial indexes.
  pooled boolean not null,
  final boolean not null,
  -- Hash of the newest journal row; the next row is sealed with it.
  journal_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  entered_at timestamptz not null,
  -- The lease is part of the row, so that a claim is one write. Renewals are in pawl.heartbeat.
  lease_token uuid,
  lease_holder text,
  leased_at timestamptz,
  lease_until timestamptz,
  -- Another task depends on this one, or did. A new dependency sets it and so changes the row: a move that was decided on
  -- the row before that is not written.
  awaited boolean not null default false,
  constraint task_pkey primary key (org_id, id)
) with (fillfactor = 75);

-- Finished tasks are in none of these indexes.
create index task_pool on pawl.task (org_id, lifecycle, priority desc, id) where pooled;
-- Has few rows. Every claim checks whether the caller has a private task in the pool.
create index task_private_pool on pawl.task (org_id, lifecycle) where pooled and private;
create index task_timer on pawl.task (org_id, due_at) where due_at is not null;
create index task_unfinished on pawl.task (org_id, lifecycle, status, id) where not final;
create index task_assignee on pawl.task (org_id, assigned_to) where assigned_to is not null and not final;
create unique index task_exclusive_key_unique on pawl.task (org_id, exclusive_key) where exclusive_key is not null;
create unique index task_dedupe_key_unique on pawl.task (org_id, lifecycle, dedupe_key) where dedupe_key is not null;

-- The last renewal of a lease, valid for the lease with the same token. The table is narrow, so that a heartbeat never
-- rewrites a task, and has no other indexes, so that an update stays on its page.
create table pawl.heartbeat (
  org_id text not null,
  task_id uuid not null,
  token uuid not null,
  beat_at timestamptz not null,
  until timestamptz not null,
  constraint heartbeat_pkey primary key (org_id, task_id)
) with (fillfactor = 50);

-- All leases with their latest renewals, for people and monitoring.
create view pawl.lease as
select t.org_id, t.id as task_id, t.lease_token as token, t.lease_holder as holder,
  coalesce(b.until, t.lease_until) as until, coalesce(b.beat_at, t.leased_at) as heartbeat_at
from pawl.task t
left join pawl.heartbeat b on b.org_id = t.org_id and b.task_id = t.id and b.token = t.lease_token
where t.lease_token is not null and not t.final;

-- The journal: row_version n of a task means n rows. Never changed; deleted only together with a finished task.
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
  -- json, not jsonb: it is never searched, and its text is sealed.
  payload json,
  -- Changes of the row; applied in order, they give the task.
  patch json not null,
  private boolean not null,
  client_event_id text,
  expected_row_version integer,
  -- Hash of this row and of the previous row's hash.
  hash bytea not null,
  created_at timestamptz not null,
  constraint event_pkey primary key (org_id, task_id, row_version)
);
create unique index event_position_unique on pawl.event (org_id, position);

-- Idempotency: the request that a client_event_id was used for, and its answer.
create table pawl.request (
  org_id text not null,
  client_event_id text not null,
  actor_id text,
  -- Hash of the request's meaning, not of its text.
  fingerprint bytea not null,
  -- json, not jsonb: it is never searched.
  answer json not null,
  created_at timestamptz not null,
  -- Only for requests without a journal row; the others are found by the key in their journal rows.
  task_id uuid,
  constraint request_pkey primary key (org_id, client_event_id)
);
create index request_without_event on pawl.request (org_id, task_id) where task_id is not null;

create table pawl.dependency (
  org_id text not null,
  task_id uuid not null,
  blocker_id uuid not null,
  on_failure text not null constraint dependency_on_failure_known check (on_failure in ('wait', 'proceed', 'fail')),
  -- The blocker no longer blocks the task.
  resolved boolean not null,
  constraint dependency_pkey primary key (org_id, task_id, blocker_id)
);
-- Covers all rows: if it covered only unresolved ones, resolving a dependency could not be a HOT update.
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
  constraint hold_pkey primary key (org_id, id)
);
create index hold_task on pawl.hold (org_id, task_id);

-- The definitions of the lifecycles under which tasks were created.
create table pawl.lifecycle (
  name text not null,
  version integer not null,
  definition jsonb not null,
  constraint lifecycle_pkey primary key (name, version)
);

create table pawl.declared_transition (
  lifecycle text not null,
  version integer not null,
  -- null: creation
  from_status text,
  to_status text not null,
  constraint declared_transition_unique unique nulls not distinct (lifecycle, from_status, to_status, version)
);

-- Hash of a journal row and of the previous row's hash. `shared` is the JSON of type, action, statuses and actor, which many
-- rows have in common. The input is unambiguous: the first parts have a fixed length, and JSON delimits itself.
create function pawl.seal(
  previous bytea, task_id uuid, row_version bigint, created_at timestamptz, shared text, comment text, payload text, patch text
) returns bytea stable parallel safe language sql
return sha256(previous || uuid_send(task_id) || int8send(row_version) || timestamptz_send(created_at)
  || convert_to(shared || coalesce(to_json(comment)::text, '-') || coalesce(payload, '-') || patch, 'UTF8'));

-- The demo: an org that Pawl creates, fills and removes. The row distinguishes it from a user's org with the same name; only
-- this org can be removed.
create table pawl.demo (
  org_id text not null constraint demo_pkey primary key,
  state text not null constraint demo_state_known check (state in ('running', 'stopped', 'removing')),
  made_at timestamptz not null default now(),
  -- The node that runs the demo, until it stops renewing this.
  played_by uuid,
  played_until timestamptz,
  constraint demo_org_is_demo check (org_id = 'demo')
);

-- Deletes up to `most` rows of the demo and returns their number; 0: nothing is left. Tables of plugins are found by their
-- org_id. Deletes tokens first, so that no member acts meanwhile, and tasks before their journals, as the triggers require.
create function pawl.remove_demo_rows(most integer) returns integer language plpgsql as $$
declare
  place regclass;
  held_back regclass;
  gone integer;
begin
  if not exists (select from pawl.demo where state = 'removing') then
    raise exception 'only a demo in state removing is deleted'
      using errcode = 'check_violation', constraint = 'demo_is_being_removed';
  end if;
  for place in
    select c.oid from pg_class c
    where c.relnamespace = 'pawl'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'demo'
      and exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)
    order by c.relname <> 'token', c.relname <> 'task', c.relname
  loop
    begin
      execute format(
        'delete from %s where org_id = ''demo'' and ctid = any(array(select ctid from %s where org_id = ''demo'' limit $1))',
        place, place) using most;
      get diagnostics gone = row_count;
      if gone > 0 then
        return gone;
      end if;
    exception when foreign_key_violation then
      -- Rows of other tables refer to this one: delete those first.
      held_back := place;
    end;
  end loop;
  if held_back is not null then
    raise exception 'a row outside of the demo refers to its %', held_back;
  end if;
  return 0;
end $$;
