-- The demo: an org that Pawl makes, fills and takes away again. Its row here tells it from an org of somebody's own that has the
-- same name, and nothing but this org can ever be taken away.
create table pawl.demo (
  org_id text not null constraint there_is_one_demo primary key,
  state text not null constraint a_demo_has_a_known_state check (state in ('running', 'stopped', 'removing')),
  made_at timestamptz not null default now(),
  -- The node whose actors are at work, for as long as it says so.
  played_by uuid,
  played_until timestamptz,
  constraint the_demo_has_an_org_of_its_own check (org_id = 'demo')
);

-- Takes away a piece of the demo and tells how many rows that was; 0: nothing is left. The tables of lifecycles are found by their
-- org_id. Tokens go first, so that nobody acts meanwhile; tasks before their journals, which the database keeps as long.
create function pawl.take_piece_of_demo(most integer) returns integer language plpgsql as $$
declare
  place regclass;
  held_back regclass;
  gone integer;
begin
  if not exists (select from pawl.demo where state = 'removing') then
    raise exception 'only a demo that is being removed is taken away'
      using errcode = 'check_violation', constraint = 'only_the_demo_is_taken_away';
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
      -- Others refer to it: they come first.
      held_back := place;
    end;
  end loop;
  if held_back is not null then
    raise exception 'something outside of the demo refers to its %', held_back;
  end if;
  return 0;
end $$;
