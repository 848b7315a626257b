-- Requests to create tasks that were made in SQL. A node creates the task and deletes the row in one transaction; a refused
-- request stays with its refusal. There is no foreign key to pawl.org: its row is written by every commit of the org.
create table pawl.inbox (
  org_id text not null,
  id uuid not null,
  lifecycle text not null,
  input jsonb not null,
  -- Length of the input as text: a node reads a limited amount at a time.
  input_bytes integer not null,
  -- Idempotency key; the id if the caller gave none.
  key text not null,
  member_id text not null,
  -- The SQL role that made the request.
  role_name text not null,
  created_at timestamptz not null,
  -- The next attempt; moved on after a failed one.
  due_at timestamptz not null,
  attempts integer not null default 0,
  -- Why the last attempt failed.
  failure text,
  refused_at timestamptz,
  -- {"code": …, "detail": …, "params": …}
  refusal jsonb,
  constraint inbox_pkey primary key (org_id, id),
  constraint inbox_refusal_complete check ((refused_at is null) = (refusal is null))
);
-- Refused requests, perhaps many, are not part of it.
create index inbox_waiting on pawl.inbox (org_id, lifecycle, due_at, id) where refused_at is null;
create index inbox_refused on pawl.inbox (org_id, refused_at, id) where refused_at is not null;

-- The members that a SQL role may act as in pawl.enqueue.
create table pawl.sql_binding (
  org_id text not null,
  role_name text not null,
  member_id text not null,
  created_by text,
  created_at timestamptz not null default now(),
  constraint sql_binding_pkey primary key (org_id, role_name, member_id),
  constraint sql_binding_member_exists foreign key (org_id, member_id) references pawl.member
);

-- Requests a task in the caller's transaction, and returns the id of the request. Without `member`, the only member that the
-- role is bound to. Grant EXECUTE to the roles that may call it.
create function pawl.enqueue(
  org text, lifecycle text, input jsonb, key text default null, member text default null
) returns uuid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- Inside this function current_user is its owner. After SET ROLE, the caller acts as that role, with its privileges only.
  caller constant text := case current_setting('role') when 'none' then session_user else current_setting('role') end;
  bound constant text[] := array(
    select b.member_id from pawl.sql_binding b join pg_catalog.pg_roles r on r.rolname = b.role_name
    where b.org_id = enqueue.org and pg_has_role(caller::name, r.oid, 'USAGE')
    group by b.member_id order by b.member_id);
  acting constant text := coalesce(member, bound[1]);
  bytes constant integer := octet_length(input::text);
  moment constant timestamptz := clock_timestamp();
  micros constant bigint := (extract(epoch from moment) * 1000000)::bigint;
  -- A UUID of version 7: random, but in the order of time. 28672 is the version, followed by 12 bits for the fraction of a
  -- millisecond, so that the requests of one transaction keep their order.
  request_id constant uuid := encode(overlay(uuid_send(gen_random_uuid()) placing substring(int8send(micros / 1000) from 3)
    || int2send((28672 + micros % 1000 * 4096 / 1000)::smallint) from 1 for 8), 'hex')::uuid;
begin
  if org is null or lifecycle is null or input is null then
    raise exception 'pawl.enqueue needs %',
      concat_ws(', ', case when org is null then 'org' end, case when lifecycle is null then 'lifecycle' end,
        case when input is null then 'input' end)
      using errcode = 'null_value_not_allowed',
        hint = 'select pawl.enqueue(org => ''main'', lifecycle => ''board'', input => ''{"title": "…"}''::jsonb)';
  end if;
  if jsonb_typeof(input) <> 'object' then
    raise exception 'input must be a JSON object, not %', jsonb_typeof(input)
      using errcode = 'invalid_parameter_value', hint = 'It has the fields of POST /api/tasks without lifecycle.';
  end if;
  if bytes > 1048576 then
    raise exception 'input has % bytes; the maximum is 1048576', bytes
      using errcode = 'program_limit_exceeded', hint = 'Store large data elsewhere, and refer to it in the task.';
  end if;
  if key = '' or char_length(key) > 500 then
    raise exception 'key must have 1 to 500 characters' using errcode = 'invalid_parameter_value';
  end if;
  if lifecycle = '' or char_length(lifecycle) > 200 then
    raise exception 'lifecycle must have 1 to 200 characters' using errcode = 'invalid_parameter_value';
  end if;
  -- The same answer for an org that does not exist: other orgs stay unknown.
  if bound = '{}' then
    raise exception 'role "%" is bound to no member of org "%"', caller, org
      using errcode = 'insufficient_privilege',
        hint = format('If the org exists, its admin binds the role to a member: pawl inbox bind %s %s',
          quote_ident(caller), coalesce(quote_ident(member), '<member>'));
  end if;
  if member is null and cardinality(bound) > 1 then
    raise exception 'role "%" is bound to several members of org "%": name one as member', caller, org
      using errcode = 'invalid_parameter_value', hint = 'One of: ' || array_to_string(bound, ', ');
  end if;
  if not acting = any(bound) then
    if not exists (select from pawl.member m where m.org_id = org and m.id = acting) then
      raise exception 'there is no member "%" in org "%"', acting, org
        using errcode = 'invalid_parameter_value', hint = 'pawl members list shows the members.';
    end if;
    raise exception 'role "%" is not bound to member "%" of org "%"', caller, acting, org
      using errcode = 'insufficient_privilege',
        hint = format('An admin of the org can bind it: pawl inbox bind %s %s', quote_ident(caller), quote_ident(acting));
  end if;
  if not exists (select from pawl.member m where m.org_id = org and m.id = acting and m.active) then
    raise exception 'member "%" of org "%" is inactive', acting, org
      using errcode = 'insufficient_privilege',
        hint = format('An admin of the org can activate it: pawl members change %s --active', quote_ident(acting));
  end if;
  insert into pawl.inbox (org_id, id, lifecycle, input, input_bytes, key, member_id, role_name, created_at, due_at)
  values (org, request_id, lifecycle, input, bytes, coalesce(key, request_id::text), acting, caller, moment, moment);
  return request_id;
end $$;

revoke all on function pawl.enqueue(text, text, jsonb, text, text) from public;
