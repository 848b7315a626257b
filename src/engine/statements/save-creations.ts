import type { JsonObject } from "../../core/index.ts";
import { asRows, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const SAVE_CREATIONS = `
  with born as (
    select * from json_to_recordset($2::text::json) as b(
      n integer, id uuid, lifecycle text, lifecycle_version integer, project_id text, status text, title text, data jsonb,
      created_by text, assigned_to text, private boolean, priority integer, attempt integer, open_blockers integer,
      open_holds integer, due_at float8, due_action text, available_at float8, exclusive_key text, dedupe_key text,
      needs_attention boolean, pooled boolean, final boolean, updated_at float8, entered_at float8, patch jsonb,
      payload jsonb, client_event_id text)
  ), feed as (
    update pawl.org set feed_position = feed_position + $3 where id = $1
    returning feed_position - $3 as base
  ), created as (
    insert into pawl.task (org_id, id, lifecycle, lifecycle_version, project_id, status, row_version, title, data,
      created_by, assigned_to, private, priority, attempt, open_blockers, open_holds, due_at, due_action, available_at,
      exclusive_key, dedupe_key, needs_attention, pooled, final, journal_hash, created_at, updated_at, entered_at)
    select $1, b.id, b.lifecycle, b.lifecycle_version, b.project_id, b.status, 1, b.title, b.data, b.created_by,
      b.assigned_to, b.private, b.priority, b.attempt, b.open_blockers, b.open_holds, to_timestamp(b.due_at / 1000.0),
      b.due_action, to_timestamp(b.available_at / 1000.0), b.exclusive_key, b.dedupe_key, b.needs_attention, b.pooled,
      b.final, pawl.seal(''::bytea, b.id, 1, 'created', 'create', null, b.status, b.created_by, null, b.payload,
        b.patch, to_timestamp(b.updated_at / 1000.0)),
      to_timestamp(b.updated_at / 1000.0), to_timestamp(b.updated_at / 1000.0), to_timestamp(b.entered_at / 1000.0)
    from born b
    returning id, journal_hash
  )
  insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, from_status,
    to_status, actor_id, comment, payload, patch, private, client_event_id, expected_row_version, hash, created_at)
  select $1, b.id, 1, feed.base + b.n, b.lifecycle, b.project_id, 'created', 'create', null, b.status, b.created_by,
    null, b.payload, b.patch, b.private, b.client_event_id, null, created.journal_hash, to_timestamp(b.updated_at / 1000.0)
  from born b join created using (id) cross join feed
  returning task_id, position`;

/** Saves new tasks with their first journal rows; `rows` are numbered from 1 in the order the feed tells them. */
export function saveCreations(
  tx: Tx,
  org_id: string,
  rows: readonly JsonObject[],
): Promise<{ task_id: string; position: string }[]> {
  return rows.length === 0
    ? Promise.resolve([])
    : query(tx, SAVE_CREATIONS, [org_id, asRows(rows), rows.length]);
}
