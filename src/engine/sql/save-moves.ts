import type { Instant, Task } from "../../core/index.ts";
import { column, jsonColumn, Dictionary, sparseColumn } from "../columns.ts";
import { isFinal, isPooled, payloadOf } from "../task-row.ts";
import type { Move } from "../write/work.ts";
import { sealOf, eventHeader } from "../upkeep/seal.ts";
import { statement } from "./statement.ts";
import type { Write } from "./statement.ts";

// Task, journal, feed and idempotency record change in one statement, so that they always match. It is the last one before the
// commit: the org's row, which holds the feed's position, stays locked from here on.
// A move is written if its row is still the one that was decided on; if this transaction has not locked it, also only if no
// other has (xmax; if it equals xmin, the lock was that of the row's writer). Values shared by many rows are sent once, in a
// dictionary (`kind`); a column that no move changes is null and keeps its value. The row is found by its ctid alone ("is not
// distinct from" uses no index), because an index leads through every version that the row has had. Conditions that always
// hold (n > 0) make the planner expect one move: with more, on a small table, it would start with all tasks of the org.
const MOVED = `
  with target as not materialized (
      select r.*, coalesce(r.place, (select p.ctid from pawl.task p where p.org_id = :org_id and p.id = r.id)) as at,
        k.type[r.kind] as type, k.action[r.kind] as action, k.from_status[r.kind] as from_status,
        k.status[r.kind] as status, k.pooled[r.kind] as pooled, k.final[r.kind] as final,
        k.actor_id[r.kind] as actor_id, k.header[r.kind] as header, k.lease_holder[r.kind] as lease_holder,
        to_timestamp(k.leased_at[r.kind] / 1000.0) as leased_at, to_timestamp(k.lease_until[r.kind] / 1000.0) as lease_until
      from (
        select :types::text::text[] as type, :actions::text::text[] as action, :from_statuses::text::text[] as from_status,
          :statuses::text::text[] as status, :pooled::text::boolean[] as pooled, :final::text::boolean[] as final,
          :actors::text::text[] as actor_id, :header::text::text[] as header, :lease_holders::text::text[] as lease_holder,
          :leased_ats::text::float8[] as leased_at, :lease_untils::text::float8[] as lease_until
        offset 0
      ) as k,
      unnest(:ids::text::uuid[], :kinds::text::integer[], :places::text::tid[], :writers::text::xid[],
        :keys::text::text[], :expected::text::integer[], :comments::text::text[],
        string_to_array(:payloads::text, e'\\x1e', ''), string_to_array(:patches::text, e'\\x1e', ''),
        string_to_array(:datas::text, e'\\x1e', ''), :titles::text::text[], :assignees::text::text[],
        :privates::text::boolean[], :priorities::text::integer[], :attempts::text::integer[],
        :open_blockers::text::integer[], :open_holds::text::integer[], :due_ats::text::float8[],
        :due_actions::text::text[], :available_ats::text::float8[], :exclusive_keys::text::text[],
        :needs_attentions::text::boolean[], :lease_tokens::text::uuid[], :fingerprints::text::text[],
        string_to_array(:answers::text, e'\\x1e', ''), :calls::text::integer[])
      with ordinality as r(id, kind, place, writer, client_event_id, expected_row_version, comment, payload, patch, data,
        title, assigned_to, private, priority, attempt, open_blockers, open_holds, due_at, due_action, available_at,
        exclusive_key, needs_attention, lease_token, fingerprint, answer, call, n)
      where r.n > 0 and r.kind > 0
        and (:settings_version::integer is null
             or :settings_version = (select o.settings_version from pawl.org o where o.id = :org_id))
      offset 0
  ), moved as (
    update pawl.task t set
      status = m.status, row_version = t.row_version + 1, pooled = m.pooled, final = m.final,
      updated_at = to_timestamp(:now::float8 / 1000.0),
      entered_at = case when t.status = m.status then t.entered_at else to_timestamp(:now::float8 / 1000.0) end,
      data = case when m.data is null then t.data else t.data || m.data::jsonb end,
      title = case when :titles::text is null then t.title else m.title end,
      assigned_to = case when :assignees::text is null then t.assigned_to else m.assigned_to end,
      private = case when :privates::text is null then t.private else m.private end,
      priority = case when :priorities::text is null then t.priority else m.priority end,
      attempt = case when :attempts::text is null then t.attempt else m.attempt end,
      open_blockers = case when :open_blockers::text is null then t.open_blockers else m.open_blockers end,
      open_holds = case when :open_holds::text is null then t.open_holds else m.open_holds end,
      due_at = case when :due_ats::text is null then t.due_at else to_timestamp(m.due_at / 1000.0) end,
      due_action = case when :due_actions::text is null then t.due_action else m.due_action end,
      available_at = case when :available_ats::text is null then t.available_at else to_timestamp(m.available_at / 1000.0) end,
      exclusive_key = case when :exclusive_keys::text is null then t.exclusive_key else m.exclusive_key end,
      needs_attention = case when :needs_attentions::text is null then t.needs_attention else m.needs_attention end,
      lease_token = case when :lease_tokens::text is null then t.lease_token else m.lease_token end,
      lease_holder = case when :lease_tokens::text is null then t.lease_holder else m.lease_holder end,
      leased_at = case when :lease_tokens::text is null then t.leased_at else m.leased_at end,
      lease_until = case when :lease_tokens::text is null then t.lease_until else m.lease_until end,
      journal_hash = ${sealOf({
        previous: "t.journal_hash",
        id: "t.id",
        row_version: "t.row_version::bigint + 1",
        now: "to_timestamp(:now::float8 / 1000.0)",
        header: "m.header",
        comment: "m.comment",
        payload: "m.payload",
        patch: "m.patch",
      })}
    from target m
    where t.ctid = m.at and t.org_id = :org_id and t.id is not distinct from m.id
      and (m.writer is null or t.xmin = m.writer) and (not :partly::boolean or t.xmax = '0'::xid or t.xmax = t.xmin)
    returning t.ctid as place, t.xmin as writer, t.id, t.row_version, t.journal_hash, t.lifecycle, t.project_id, t.private,
      t.updated_at, m.type, m.action, m.from_status, m.status, m.actor_id, m.client_event_id, m.expected_row_version,
      m.comment, m.payload, m.patch, m.fingerprint, m.answer, m.call, m.n
  ), feed as (
    -- Locked only after all tasks are moved, since batches of one org wait for this lock. If every move must be written, a
    -- missing one raises an error, by a division by zero.
    update pawl.org o
    set feed_position = o.feed_position + written.moves / case when :partly::boolean or written.moves = :count then 1 else 0 end
    from (select count(*) as moves from moved) as written
    where o.id = :org_id and (written.moves > 0 or not :partly)
    returning o.feed_position - written.moves as base
  ), beats as (
    delete from pawl.heartbeat b where b.org_id = :org_id and b.task_id = any(:closed::text::uuid[])
      and exists (select from moved m where m.id = b.task_id)
  ), events as (
    insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, from_status,
      to_status, actor_id, comment, payload, patch, private, client_event_id, expected_row_version, hash, created_at)
    select :org_id, m.id, m.row_version, feed.base + row_number() over (), m.lifecycle, m.project_id, m.type,
      m.action, m.from_status, m.status, m.actor_id, m.comment::json #>> '{}', m.payload::json, m.patch::json, m.private,
      m.client_event_id, m.expected_row_version, m.journal_hash, m.updated_at
    from moved m cross join feed
  ), requests as (
    insert into pawl.request (org_id, client_event_id, actor_id, fingerprint, answer, created_at)
    select :org_id, m.client_event_id, m.actor_id, decode(m.fingerprint, 'hex'), m.answer::json, m.updated_at
    from moved m where m.fingerprint is not null
  )`;

// One record for the answers of a call. It is saved even if no command was carried out: see CallKey.
const CALLS = `, calls as (
    insert into pawl.request (org_id, client_event_id, actor_id, fingerprint, answer, created_at)
    select :org_id, c.key, c.actor_id, decode(c.fingerprint, 'hex'),
      ('{"outcome":"moved","at":[' || coalesce(a.entries, '') || ']}')::json, to_timestamp(:now::float8 / 1000.0)
    from unnest(:call_keys::text::text[], :call_actors::text::text[], :call_fingerprints::text::text[])
      with ordinality as c(key, actor_id, fingerprint, n)
    left join (
      select m.call, string_agg(m.answer, ',') as entries from moved m where m.call is not null group by m.call
    ) as a on a.call = c.n
  )`;

const WRITTEN = "select m.n::integer, m.place::text, m.writer::text, clock_timestamp() from moved m";

const SAVE_MOVES = statement(`${MOVED} ${WRITTEN}`);
const SAVE_MOVES_OF_CALLS = statement(`${MOVED}${CALLS} ${WRITTEN}`);

/** The number of a move that was written (from 1), the new ctid and xmin of its row, and the time. */
export type WrittenCells = [n: number, place: string, writer: string, now: Instant];

export type SaveMoves = {
  org_id: string;
  now: Instant;
  moves: readonly Move[];
  /** True: moves of rows that have changed are left out. False: all moves are written or the statement fails. */
  partly: boolean;
  /** The version of the settings that the moves were decided with; null if they were read in the same transaction. */
  settings_version: number | null;
};

/** Saves moved tasks with their journal rows, which appear in the feed in this order, and their idempotency records. */
export function saveMoves({ org_id, now, moves, partly, settings_version }: SaveMoves): Write {
  const kinds = new Dictionary<MoveKind>();
  const leased = moves.some(({ work, after, stale }) => stale || after.lease !== work.task.lease);
  const kindOf = ({ work: { actor, lifecycle }, decision: { event }, after: { status, lease } }: Move) => {
    const held = leased ? lease : null;
    return kinds.indexOf(
      event.type,
      event.action,
      event.from,
      status,
      isPooled(lifecycle, status),
      isFinal(lifecycle, status),
      actor.id,
      held?.holder ?? null,
      held?.heartbeat_at ?? null,
      held?.until ?? null,
    );
  };
  const calls = callColumns(moves);
  const save = calls === null ? SAVE_MOVES : SAVE_MOVES_OF_CALLS;
  const places = column(moves.map(kindOf));
  const [types, actions, from_statuses, statuses, pooled, final, actors, holders, leased_ats, lease_untils] =
    kinds.columns();
  const changed = (name: keyof Task) =>
    moves.some(({ work, after, stale }) => stale || after[name] !== work.task[name])
      ? column(moves.map(({ after }) => after[name] as string | number | boolean | null))
      : null;
  return save({
    org_id,
    now,
    partly,
    settings_version,
    count: moves.length,
    ids: column(moves.map(({ after }) => after.id)),
    kinds: places,
    types,
    actions,
    from_statuses,
    statuses,
    pooled,
    final,
    actors,
    header: headersOf(kinds),
    lease_holders: holders,
    leased_ats,
    lease_untils,
    places: sparseColumn(moves.map(({ work }) => work.ctid)),
    writers: sparseColumn(moves.map(({ work }) => work.xmin)),
    keys: sparseColumn(moves.map(({ work }) => work.client_event_id)),
    expected: sparseColumn(moves.map(({ work }) => work.command.expected_row_version)),
    comments: sparseColumn(
      moves.map(({ decision: { event } }) => (event.comment === null ? null : JSON.stringify(event.comment))),
    ),
    payloads: jsonColumn(moves.map(({ work, decision }) => payloadOf(work.command, decision.event))),
    patches: jsonColumn(moves.map(({ decision, after }) => ({ ...decision.patch, status: after.status }))),
    datas: jsonColumn(moves.map(({ decision }) => decision.patch.data ?? null)),
    titles: changed("title"),
    assignees: changed("assigned_to"),
    privates: changed("private"),
    priorities: changed("priority"),
    attempts: changed("attempt"),
    open_blockers: changed("open_blockers"),
    open_holds: changed("open_holds"),
    due_ats: changed("due_at"),
    due_actions: changed("due_action"),
    available_ats: changed("available_at"),
    exclusive_keys: changed("exclusive_key"),
    needs_attentions: changed("needs_attention"),
    lease_tokens: leased ? column(moves.map(({ after }) => after.lease?.token ?? null)) : null,
    closed: sparseColumn(
      moves.flatMap(({ work, after }) =>
        work.task.lease !== null && after.lease?.token !== work.task.lease.token ? [after.id] : [],
      ),
    ),
    fingerprints: sparseColumn(moves.map(({ record }) => record?.fingerprint ?? null)),
    answers: jsonColumn(moves.map(({ record, entry }) => (record ?? entry)?.answer ?? null)),
    ...(calls ?? { calls: null }),
  });
}

function headersOf({ entries }: Dictionary<MoveKind>): string {
  return column(
    entries.map(([type, action, from, status, , , actor]) => eventHeader(type, action, from, status, actor)),
  );
}

/** Returns the calls that the moves belong to, and which move belongs to which; null if none does. */
function callColumns(moves: readonly Move[]) {
  const calls = new Dictionary<[key: string, actor_id: string | null, fingerprint: string]>();
  const indexes = moves.map(
    ({ entry }) =>
      entry && calls.indexOf(entry.call.client_event_id, entry.call.actor_id, entry.call.fingerprint),
  );
  if (calls.entries.length === 0) return null;
  const [call_keys, call_actors, call_fingerprints] = calls.columns();
  return { calls: column(indexes), call_keys, call_actors, call_fingerprints };
}

type MoveKind = [
  type: string,
  action: string,
  from_status: string | null,
  status: string,
  pooled: boolean,
  final: boolean,
  actor_id: string | null,
  lease_holder: string | null,
  leased_at: Instant | null,
  lease_until: Instant | null,
];
