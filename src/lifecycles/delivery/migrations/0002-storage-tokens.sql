-- Refreshed OAuth tokens of the storage, for the bots and workers of all machines. They are encrypted with a key that only
-- these processes have.
create table pawl.delivery_storage_token (
  org_id text not null,
  -- Identifies the configured tokens: other settings have other rows.
  id text not null,
  -- Grows with each refresh; 0: none yet.
  revision integer not null default 0,
  sealed text,
  -- The process that refreshes the tokens now: a refresh token can be used once.
  locked_by text,
  locked_until timestamptz,
  updated_at timestamptz not null default now(),
  constraint delivery_storage_token_pkey primary key (org_id, id)
);
