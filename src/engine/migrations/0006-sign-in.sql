-- Sign-in of people: sessions of browsers, and links with one-time codes. A session is a row of pawl.token, so that one
-- look-up authenticates both, and nodes of the version before accept sessions too.
alter table pawl.token
  add column kind text not null default 'token' constraint token_kind_known check (kind in ('token', 'session')),
  -- Distinguishes the tokens of a member.
  add column name text,
  -- The token that a session was started with, and ends with.
  add column parent_id uuid,
  -- The browser of a session, as it described itself.
  add column user_agent text,
  -- The end that it was created with, if a rotation has set an earlier one.
  add column first_expires_at timestamptz,
  -- Written at most once a minute.
  add column last_used_at timestamptz;

-- A member may have many tokens and sessions, most of them ended.
create index token_of_member on pawl.token (org_id, member_id, kind, id);

-- One-time codes with which a member signs in, by their hashes.
create table pawl.login_code (
  org_id text not null,
  id uuid not null,
  member_id text not null,
  hash bytea not null,
  -- null: created by the server at its start
  created_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The session that the code was used for.
  session_id uuid,
  constraint login_code_pkey primary key (org_id, id),
  constraint login_code_hash_unique unique (org_id, hash),
  constraint login_code_member_exists foreign key (org_id, member_id) references pawl.member
);
