-- The people who may ask for files. EXPIRED is nowhere stored: it is ACTIVE whose time is over, at whatever moment one looks.
create table pawl.delivery_user (
  org_id text not null,
  -- As Telegram knows him.
  id text not null,
  name text not null,
  username text,
  chat_id text not null,
  status text not null constraint a_user_has_a_known_status check (status in ('PENDING', 'ACTIVE', 'BLOCKED')),
  access_until timestamptz,
  requested_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  constraint a_user_has_one_id_in_its_org primary key (org_id, id),
  constraint access_is_for_a_time check (status <> 'ACTIVE' or access_until is not null)
);
create index delivery_user_ending on pawl.delivery_user (org_id, access_until) where status = 'ACTIVE';

-- What there is in storage, as it was last seen. Users know a file by its id, which says nothing of where it lies.
create table pawl.delivery_file (
  org_id text not null,
  id text not null,
  -- The folder it lies in; null: the first one.
  parent_id text,
  kind text not null constraint an_entry_is_a_file_or_a_folder check (kind in ('file', 'folder')),
  name text not null,
  -- As people type it: lower case, one letter for two that look alike.
  sought_as text not null,
  path text not null,
  size bigint,
  -- Changes with the contents.
  revision text,
  -- The look at its folder by which it was last seen.
  scan text not null,
  seen_at timestamptz not null default now(),
  constraint a_file_has_one_id_in_its_org primary key (org_id, id)
);
create index delivery_file_folder on pawl.delivery_file (org_id, parent_id, kind desc, sought_as);

-- What Telegram has already: sent again by its own id, it needs no storage.
create table pawl.delivery_cached_file (
  org_id text not null,
  file_id text not null,
  telegram_file_id text not null,
  -- Of what was sent; null: nobody said.
  revision text,
  cached_at timestamptz not null default now(),
  constraint a_file_is_cached_once primary key (org_id, file_id)
);

-- How far a job is. Narrow and beside the task, so that a file on its way writes no journal.
create table pawl.delivery_progress (
  org_id text not null,
  task_id uuid not null,
  bytes bigint not null,
  total_bytes bigint,
  updated_at timestamptz not null,
  constraint a_job_has_one_progress primary key (org_id, task_id),
  constraint progress_goes_with_its_job foreign key (org_id, task_id) references pawl.task on delete cascade
) with (fillfactor = 50);

create table pawl.delivery_worker (
  org_id text not null,
  -- One for each process.
  id text not null,
  member_id text not null,
  concurrency integer not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  constraint a_worker_has_one_id_in_its_org primary key (org_id, id)
);

-- Words that are owed to somebody: written with what they are about, gone out when a bot says so.
create table pawl.delivery_notice (
  org_id text not null,
  id uuid not null default gen_random_uuid(),
  key text not null,
  kind text not null,
  -- null: the admins
  user_id text,
  params jsonb not null,
  created_at timestamptz not null,
  -- A bot is at it.
  taken_until timestamptz,
  sent_at timestamptz,
  constraint a_notice_has_one_id_in_its_org primary key (org_id, id),
  constraint a_notice_is_given_once unique (org_id, key)
);
create index delivery_notice_owed on pawl.delivery_notice (org_id, created_at) where sent_at is null;
create index delivery_notice_sent on pawl.delivery_notice (org_id, sent_at) where sent_at is not null;

-- Here only while the storage does not let us in and an admin must see to it.
create table pawl.delivery_source (
  org_id text not null,
  needs_admin_since timestamptz not null,
  reason text not null,
  constraint an_org_has_one_source primary key (org_id)
);

-- A person's own jobs, newest first.
create index task_of_delivery_user on pawl.task (org_id, (data ->> 'user_id'), id) where lifecycle = 'delivery';
