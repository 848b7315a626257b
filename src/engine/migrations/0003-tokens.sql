-- Who may speak for a member. A token itself is shown once and kept by its owner; here is only what it is recognised by.
create table pawl.token (
  org_id text not null,
  id uuid not null,
  member_id text not null,
  hash bytea not null,
  -- null: made by Pawl itself, for the admin
  created_by text,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint a_token_has_one_id_in_its_org primary key (org_id, id),
  constraint a_token_is_known_once unique (org_id, hash),
  constraint a_token_speaks_for_a_member foreign key (org_id, member_id) references pawl.member
);
