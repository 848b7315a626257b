import type { JsonObject } from "../../core/index.ts";
import { asRows, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Task, journal and feed change in one statement, so that none is without the others. It is the last before the commit:
// the org's row, which gives out the feed's positions, stays locked from here on.
const SAVE_MOVES = `
  with move as (
    select * from json_to_recordset($2::text::json) as m(
      n integer, id uuid, status text, title text, data jsonb, assigned_to text, private boolean, priority integer,
      attempt integer, open_blockers integer, open_holds integer, due_at float8, due_action text, available_at float8,
      exclusive_key text, needs_attention boolean, pooled boolean, final boolean, updated_at float8, entered_at float8,
      type text, action text, from_status text, actor_id text, comment text, payload jsonb, patch jsonb,
      client_event_id text, expected_row_version integer)
  ), feed as (
    update pawl.org set feed_position = feed_position + $3 where id = $1
    returning feed_position - $3 as base
  ), moved as (
    update pawl.task t set
      status = m.status, row_version = t.row_version + 1, title = m.title,
      data = case when m.data is null then t.data else t.data || m.data end,
      assigned_to = m.assigned_to, private = m.private, priority = m.priority, attempt = m.attempt,
      open_blockers = m.open_blockers, open_holds = m.open_holds,
      due_at = to_timestamp(m.due_at / 1000.0), due_action = m.due_action,
      available_at = to_timestamp(m.available_at / 1000.0), exclusive_key = m.exclusive_key,
      needs_attention = m.needs_attention, pooled = m.pooled, final = m.final,
      updated_at = to_timestamp(m.updated_at / 1000.0), entered_at = to_timestamp(m.entered_at / 1000.0),
      journal_hash = pawl.seal(t.journal_hash, t.id, t.row_version + 1, m.type, m.action, m.from_status, m.status,
        m.actor_id, m.comment, m.payload, m.patch, to_timestamp(m.updated_at / 1000.0))
    from move m
    -- The ids once more as an array: joined to the JSON rows alone, a plan made on a small table read all of the org.
    where t.org_id = $1 and t.id = any($4::uuid[]) and t.id = m.id
    returning t.id, t.row_version, t.journal_hash, t.lifecycle, t.project_id
  )
  insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, from_status,
    to_status, actor_id, comment, payload, patch, private, client_event_id, expected_row_version, hash, created_at)
  select $1, m.id, moved.row_version, feed.base + m.n, moved.lifecycle, moved.project_id, m.type, m.action,
    m.from_status, m.status, m.actor_id, m.comment, m.payload, m.patch, m.private, m.client_event_id,
    m.expected_row_version, moved.journal_hash, to_timestamp(m.updated_at / 1000.0)
  from move m join moved using (id) cross join feed
  returning task_id, position`;

/** Saves moved tasks with their journal rows; `rows` are numbered from 1 in the order the feed tells them. */
export function saveMoves(
  tx: Tx,
  org_id: string,
  rows: readonly JsonObject[],
): Promise<{ task_id: string; position: string }[]> {
  if (rows.length === 0) return Promise.resolve([]);
  const ids = rows.map((row) => row.id);
  return query(tx, SAVE_MOVES, [org_id, asRows(rows), rows.length, ids]);
}
