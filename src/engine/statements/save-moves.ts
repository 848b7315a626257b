import type { Instant } from "../../core/index.ts";
import type { Tx } from "../transaction.ts";
import { post } from "../transaction.ts";
import { column, jsonColumn, Kinds, sparseColumn } from "../columns.ts";
import type { Move } from "../work.ts";
import { saveMove } from "./save-move.ts";
import { changedColumns, isFinal, isPooled, payloadOf } from "../task-row.ts";

// Task, journal and feed change in one statement, so that none is without the others. It is the last before the commit:
// the org's row, which gives out the feed's positions, stays locked from here on.
// What rows share comes once, as their kind; a column that no move changes is null and keeps what the task has.
const SAVE_MOVES = `
  with kind as materialized (
    select $6::text::text[] as type, $7::text::text[] as action, $8::text::text[] as from_status,
      $9::text::text[] as status, $10::text::boolean[] as pooled, $11::text::boolean[] as final,
      $12::text::text[] as actor_id, $13::text::text[] as lease_holder, $14::text::float8[] as leased_at,
      $15::text::float8[] as lease_until, to_timestamp($3::float8 / 1000.0) as now,
      array(select json_build_array(o.type, o.action, o.from_status, o.status, o.actor_id)::text
            from unnest($6::text::text[], $7::text::text[], $8::text::text[], $9::text::text[], $12::text::text[])
              as o(type, action, from_status, status, actor_id)) as told
  ), moved as (
    update pawl.task t set
      status = k.status[m.kind], row_version = t.row_version + 1,
      pooled = k.pooled[m.kind], final = k.final[m.kind], updated_at = k.now,
      entered_at = case when t.status = k.status[m.kind] then t.entered_at else k.now end,
      data = case when m.data is null then t.data else t.data || m.data::jsonb end,
      title = case when $22::text is null then t.title else m.title end,
      assigned_to = case when $23::text is null then t.assigned_to else m.assigned_to end,
      private = case when $24::text is null then t.private else m.private end,
      priority = case when $25::text is null then t.priority else m.priority end,
      attempt = case when $26::text is null then t.attempt else m.attempt end,
      open_blockers = case when $27::text is null then t.open_blockers else m.open_blockers end,
      open_holds = case when $28::text is null then t.open_holds else m.open_holds end,
      due_at = case when $29::text is null then t.due_at else to_timestamp(m.due_at / 1000.0) end,
      due_action = case when $30::text is null then t.due_action else m.due_action end,
      available_at = case when $31::text is null then t.available_at else to_timestamp(m.available_at / 1000.0) end,
      exclusive_key = case when $32::text is null then t.exclusive_key else m.exclusive_key end,
      needs_attention = case when $33::text is null then t.needs_attention else m.needs_attention end,
      lease_token = case when $35::text is null then t.lease_token else m.lease_token end,
      lease_holder = case when $35::text is null then t.lease_holder else k.lease_holder[m.kind] end,
      leased_at = case when $35::text is null then t.leased_at else to_timestamp(k.leased_at[m.kind] / 1000.0) end,
      lease_until = case when $35::text is null then t.lease_until else to_timestamp(k.lease_until[m.kind] / 1000.0) end,
      journal_hash = pawl.seal(t.journal_hash, t.id, t.row_version + 1, k.now, k.told[m.kind], m.comment, m.payload,
        m.patch)
    from kind k, (
      -- Where a row lies is known from its lock; one that was written since then is looked up.
      select r.*, coalesce(r.known, (select p.ctid from pawl.task p where p.org_id = $1 and p.id = r.id)) as place
      from unnest($4::text::uuid[], $5::text::integer[], $16::text::text[], $17::text::integer[], $18::text::text[],
        string_to_array($19::text, e'\\x1e', ''), string_to_array($20::text, e'\\x1e', ''),
        string_to_array($21::text, e'\\x1e', ''), $22::text::text[], $23::text::text[], $24::text::boolean[],
        $25::text::integer[], $26::text::integer[], $27::text::integer[], $28::text::integer[], $29::text::float8[],
        $30::text::text[], $31::text::float8[], $32::text::text[], $33::text::boolean[], $34::text::tid[],
        $35::text::uuid[], $36::text::xid[])
      with ordinality as r(id, kind, client_event_id, expected_row_version, comment, payload, patch, data, title,
        assigned_to, private, priority, attempt, open_blockers, open_holds, due_at, due_action, available_at,
        exclusive_key, needs_attention, known, lease_token, writer, n)
      offset 0
    ) as m
    -- What was only looked at must be the same row still.
    where t.ctid = m.place and t.id = m.id and (m.writer is null or t.xmin = m.writer)
    returning t.id, t.row_version, t.journal_hash, t.lifecycle, t.project_id, t.private, k.now, k.type[m.kind] as type,
      k.action[m.kind] as action, k.from_status[m.kind] as from_status, t.status, k.actor_id[m.kind] as actor_id,
      m.client_event_id, m.expected_row_version, m.comment, m.payload, m.patch, m.n
  ), feed as (
    -- Only when all tasks are moved: this lock is what batches of one org wait for. (A move that finds no task must not be
    -- lost in silence: it is a division by zero.)
    update pawl.org set feed_position = feed_position + $2 / (select case count(*) when $2 then 1 else 0 end from moved)
    where id = $1
    returning feed_position - $2 as base
  )
  insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, from_status,
    to_status, actor_id, comment, payload, patch, private, client_event_id, expected_row_version, hash, created_at)
  select $1, m.id, m.row_version, feed.base + m.n, m.lifecycle, m.project_id, m.type, m.action, m.from_status, m.status,
    m.actor_id, m.comment, m.payload::json, m.patch::json, m.private, m.client_event_id, m.expected_row_version,
    m.journal_hash, m.now
  from moved m cross join feed`;

/** Saves moved tasks with their journal rows, which the feed tells in this order. */
export function saveMoves(tx: Tx, org_id: string, moves: readonly Move[], now: Instant): void {
  const [only] = moves;
  if (only === undefined) return;
  if (moves.length === 1) {
    saveMove(tx, org_id, only, now);
    return;
  }
  const kinds = new Kinds<KindOfMove>();
  const leased = moves.some(({ work, after, stale }) => stale || after.lease !== work.task.lease);
  const kindOf = ({ work: { actor, lifecycle }, decision: { event }, after: { status, lease } }: Move) => {
    const held = leased ? lease : null;
    return kinds.placeOf(
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
  const ids = column(moves.map(({ after }) => after.id));
  const rows = [
    sparseColumn(moves.map(({ work }) => work.client_event_id)),
    sparseColumn(moves.map(({ work }) => work.command.expected_row_version)),
    sparseColumn(moves.map(({ decision }) => decision.event.comment)),
    jsonColumn(moves.map(({ work }) => payloadOf(work.command))),
    jsonColumn(moves.map(({ decision, after }) => ({ ...decision.patch, status: after.status }))),
    jsonColumn(moves.map(({ decision }) => decision.patch.data ?? null)),
  ];
  const places = column(moves.map(kindOf));
  const params = [org_id, moves.length, now, ids, places, ...kinds.columns(), ...rows];
  const known = sparseColumn(moves.map(({ work }) => work.place));
  const tokens = leased ? column(moves.map(({ after }) => after.lease?.token ?? null)) : null;
  const writers = sparseColumn(moves.map(({ work }) => work.writer));
  post(tx, SAVE_MOVES, [...params, ...changedColumns(moves), known, tokens, writers]);
}

type KindOfMove = [
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
