-- Users of the bot. The status EXPIRED is not stored: it means ACTIVE after access_until.
create table pawl.delivery_user (
  org_id text not null,
  -- The Telegram id.
  id text not null,
  name text not null,
  username text,
  chat_id text not null,
  status text not null constraint delivery_user_status_known check (status in ('PENDING', 'ACTIVE', 'BLOCKED')),
  access_until timestamptz,
  requested_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  constraint delivery_user_pkey primary key (org_id, id),
  constraint delivery_user_access_has_end check (status <> 'ACTIVE' or access_until is not null)
);
create index delivery_user_ending on pawl.delivery_user (org_id, access_until) where status = 'ACTIVE';

-- The contents of the storage as of the last scan. Users see a file's id, which does not reveal its path.
create table pawl.delivery_file (
  org_id text not null,
  id text not null,
  -- The folder that contains it; null: the top folder.
  parent_id text,
  kind text not null constraint delivery_file_kind_known check (kind in ('file', 'folder')),
  name text not null,
  -- For search: lower case, similar letters replaced by one.
  sought_as text not null,
  path text not null,
  size bigint,
  -- Changes with the contents.
  revision text,
  -- The scan of its folder that saw it last; names of scans sort by their start.
  scan text not null,
  seen_at timestamptz not null default now(),
  constraint delivery_file_pkey primary key (org_id, id)
);
create index delivery_file_folder on pawl.delivery_file (org_id, parent_id, kind desc, sought_as);

-- Files that Telegram already has. They are sent again by Telegram's id, without the storage.
create table pawl.delivery_cached_file (
  org_id text not null,
  file_id text not null,
  telegram_file_id text not null,
  -- Revision of the contents that were sent; null: unknown.
  revision text,
  cached_at timestamptz not null default now(),
  constraint delivery_cached_file_pkey primary key (org_id, file_id)
);

-- Progress of a job. A separate, narrow table, so that a running upload writes no journal rows.
create table pawl.delivery_progress (
  org_id text not null,
  task_id uuid not null,
  bytes bigint not null,
  total_bytes bigint,
  updated_at timestamptz not null,
  constraint delivery_progress_pkey primary key (org_id, task_id),
  constraint delivery_progress_task_exists foreign key (org_id, task_id) references pawl.task on delete cascade
) with (fillfactor = 50);

create table pawl.delivery_worker (
  org_id text not null,
  -- One id per process.
  id text not null,
  member_id text not null,
  concurrency integer not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  constraint delivery_worker_pkey primary key (org_id, id)
);

-- Messages to users: written in the transaction that they report on; the bot sends them and sets sent_at.
create table pawl.delivery_notice (
  org_id text not null,
  id uuid not null default gen_random_uuid(),
  key text not null,
  kind text not null,
  -- null: the admins
  user_id text,
  params jsonb not null,
  created_at timestamptz not null,
  -- A bot is sending it; other bots may try again after this time.
  taken_until timestamptz,
  sent_at timestamptz,
  constraint delivery_notice_pkey primary key (org_id, id),
  constraint delivery_notice_key_unique unique (org_id, key)
);
create index delivery_notice_owed on pawl.delivery_notice (org_id, created_at) where sent_at is null;
create index delivery_notice_sent on pawl.delivery_notice (org_id, sent_at) where sent_at is not null;

-- Has a row only while the storage refuses access and an admin must act.
create table pawl.delivery_source (
  org_id text not null,
  needs_admin_since timestamptz not null,
  reason text not null,
  constraint delivery_source_pkey primary key (org_id)
);

-- A user's jobs, newest first.
create index delivery_task_user on pawl.task (org_id, (data ->> 'user_id'), id) where lifecycle = 'delivery';
-- Jobs by age, without the tasks of other lifecycles. Contains only columns that no move changes.
create index delivery_task on pawl.task (org_id, id) where lifecycle = 'delivery';
