import type { Instant } from "../../core/index.ts";
import { sealOf } from "../upkeep/seal.ts";
import { statement } from "./statement.ts";
import { taskColumns } from "./task-columns.ts";
import type { TaskCells } from "./task-columns.ts";

const NOW = "greatest(t.updated_at, to_timestamp(:now::float8 / 1000.0))";

// The columns of a claimed task. Values that the claim knows itself, or that are the same for all of them, are sent as null.
const DEALT_COLUMNS = taskColumns({
  place: "t.place",
  writer: "case when t.n > f.n then null else t.writer end",
  lifecycle: "null",
  status: "null",
  assigned_to: "case when :assigns::boolean then null else t.assigned_to end",
  due_at: "null",
  due_action: "null",
  updated_at: "nullif(t.updated_at, to_timestamp(:now::float8 / 1000.0))",
  entered_at: "null",
  lease_token: "null",
  lease_holder: "null",
  leased_at: "null",
  lease_until: "null",
});

// Picks, moves and journals tasks and stores the answers in one statement, for claims whose decision does not depend on the
// task. The best free tasks are assigned to the slots in order, by parallel arrays, because a join by number compared all
// pairs. Nothing is done if the settings have changed, or if a claimer has a private task in the pool, which the others must
// not get; a used idempotency key is refused by its index. A caller that lost its connection waits for the lock of the batch;
// a statement that arrives while its retry holds this lock, or later (see expireDecisions), does nothing. A claim that finds
// nothing for its key waits for the shared lock (see waitForClaims). A row that changed between the snapshot and its lock is not
// updated: its slot stays empty, so neither the first row nor the positions of the feed may be taken from `n`.
export const CLAIM_TASKS = statement(`
  with gate as materialized (
    select pg_try_advisory_xact_lock(hashtextextended(:batch, 0 /* pawl */))
      and pg_advisory_xact_lock_shared(hashtextextended(:org_id || ' ' || :lifecycle, 0 /* pawl */)) is not null
      and :settings_version::integer = (select o.settings_version from pawl.org o where o.id = :org_id)
      and (select count(*) from (
             select from pawl.task p
             where p.org_id = :org_id and p.lifecycle = :lifecycle and p.pooled and p.private
               and not :public::boolean
               and (p.created_by = any(:claimers::text::text[]) or p.assigned_to = any(:claimers::text::text[]))
             limit 1) as own) = 0 as open
  ), picked as materialized (
    select array_agg(p.id) as ids, array_agg(p.place) as places
    from (
      select t.id, t.ctid as place
      from pawl.task t
      where t.org_id = :org_id and t.lifecycle = :lifecycle and t.pooled and not t.private
        and (select g.open from gate g)
        and (:projects::text[] is null or t.project_id = any(:projects))
        and (t.available_at is null or t.available_at <= clock_timestamp())
        and (not :unassigned::boolean or t.assigned_to is null)
        and (not :unblocked::boolean or t.open_blockers = 0)
        and (not :unheld::boolean or t.open_holds = 0)
        and (:least_priority::integer is null or t.priority >= :least_priority)
        and (:wanted_field::text is null or t.data ->> :wanted_field is null
          or t.data ->> :wanted_field = any(:wanted_values::text[]))
      order by t.priority desc, t.id
      limit :wanted
      for update of t skip locked
    ) as p
  ), moved as (
    update pawl.task t set
      status = :status, row_version = t.row_version + 1, pooled = :stays_pooled::boolean, updated_at = ${NOW},
      entered_at = ${NOW}, data = case when s.data is null then t.data else t.data || s.data::jsonb end,
      assigned_to = case when :assigns::boolean then s.assigned_to else t.assigned_to end,
      due_at = to_timestamp(s.due_at / 1000.0), due_action = s.due_action, lease_token = s.token,
      lease_holder = s.lease_holder, leased_at = to_timestamp(s.leased_at / 1000.0),
      lease_until = to_timestamp(s.lease_until / 1000.0),
      journal_hash = ${sealOf({
        previous: "t.journal_hash",
        id: "t.id",
        row_version: "t.row_version::bigint + 1",
        now: NOW,
        header: "s.header",
        comment: "s.comment",
        payload: "null",
        patch: "s.patch",
      })}
    from (
      select u.id, u.place, u.token, u.n, u.claim, c.actor_id[u.claim] as actor_id, c.header[u.claim] as header,
        c.key[u.claim] as client_event_id, c.comment[u.claim] as comment, c.patch[u.claim] as patch,
        c.data[u.claim] as data, c.assigned_to[u.claim] as assigned_to, c.due_at[u.claim] as due_at,
        c.due_action[u.claim] as due_action, c.lease_holder[u.claim] as lease_holder,
        c.lease_until[u.claim] as lease_until, c.leased_at[u.claim] as leased_at,
        c.fingerprint[u.claim] as fingerprint, c.shared[u.claim] as shared
      from (
        select p.ids, p.places, :actors::text::text[] as actor_id, :header::text::text[] as header,
          :marks::text::text[] as key, :comments::text::text[] as comment,
          string_to_array(:patches::text, e'\\x1e', '') as patch, string_to_array(:datas::text, e'\\x1e', '') as data,
          :assignees::text::text[] as assigned_to, :due_ats::text::float8[] as due_at,
          :due_actions::text::text[] as due_action, :lease_holders::text::text[] as lease_holder,
          :lease_untils::text::float8[] as lease_until, :leased_ats::text::float8[] as leased_at,
          :fingerprints::text::text[] as fingerprint, string_to_array(:shared::text, e'\\x1e') as shared
        from picked p
        offset 0
      ) as c,
      unnest(c.ids, c.places, :slots::text::integer[], :tokens::text::uuid[])
        with ordinality as u(id, place, claim, token, n)
      where u.id is not null and u.n > 0 and u.claim > 0
      offset 0
    ) as s
    where t.ctid = s.place and t.org_id = :org_id and t.id is not distinct from s.id
    returning t.id, t.ctid as place, t.xmin as writer, t.lifecycle_version, t.project_id, t.status, t.row_version, t.title, t.data,
      t.created_by, t.assigned_to, t.private, t.priority, t.attempt, t.open_blockers, t.open_holds, t.available_at,
      t.exclusive_key, t.needs_attention, t.created_at, t.updated_at, t.lease_token, t.awaited, t.readers, t.journal_hash,
      s.n, s.claim, s.actor_id, s.client_event_id, s.comment, s.patch, s.fingerprint, s.shared
  ), feed as (
    update pawl.org o set feed_position = o.feed_position + taken.tasks
    from (select count(*) as tasks from moved) as taken
    where o.id = :org_id and taken.tasks > 0
    returning o.feed_position - taken.tasks as base
  ), events as (
    insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, from_status,
      to_status, actor_id, comment, payload, patch, private, client_event_id, expected_row_version, hash, created_at)
    select :org_id, m.id, m.row_version, feed.base + row_number() over (order by m.n), :lifecycle, m.project_id, :type, :action, :from_status,
      m.status, m.actor_id, m.comment::json #>> '{}', null, m.patch::json, m.private, m.client_event_id, null,
      m.journal_hash, m.updated_at
    from moved m cross join feed
  ), requests as (
    insert into pawl.request (org_id, client_event_id, actor_id, fingerprint, answer, created_at)
    select :org_id, a.client_event_id, a.actor_id, decode(a.fingerprint, 'hex'),
      ('{"all":' || a.shared || ',"at":[' || a.tasks || ']}')::json, a.at
    from (
      select m.client_event_id, m.actor_id, m.fingerprint, m.shared, max(m.updated_at) as at, string_agg(
        '{"id":"' || m.id || '","row_version":' || m.row_version
        || coalesce(',"lease_token":"' || m.lease_token || '"', '')
        || case when m.lifecycle_version = :version::integer then '' else ',"lifecycle_version":' || m.lifecycle_version end
        || case when m.open_blockers = 0 then '' else ',"open_blockers":' || m.open_blockers end
        || case when m.open_holds = 0 then '' else ',"open_holds":' || m.open_holds end || '}',
        ',' order by m.n) as tasks
      from moved m
      where m.fingerprint is not null
      group by m.claim, m.client_event_id, m.actor_id, m.fingerprint, m.shared
    ) as a
  )
  select ${DEALT_COLUMNS}, t.n::integer, case when t.n > f.n then null else g.open end,
    case when t.n > f.n then null else clock_timestamp() end
  from gate g
  cross join (select min(m.n) as n from moved m) as f
  left join moved t on true
  order by t.n`);

/** A claimed task with its slot (from 1), or nulls. The first row also has the time and whether claims were possible. */
export type ClaimedCells = [...TaskCells, slot: number | null, open: boolean | null, now: Instant | null];
