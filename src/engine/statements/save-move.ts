import type { Instant } from "../../core/index.ts";
import { isFinal, isPooled, payloadOf } from "../task-row.ts";
import { post } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Move } from "../work.ts";

// What SAVE_MOVES does, for one: nothing to unnest, to number and to look up, which is half of what a small batch costs. All
// columns come as they now stand; the row is locked, or must be the one that was looked at.
const SAVE_MOVE = `
  with moved as (
    update pawl.task t set
      status = $9, row_version = t.row_version + 1, pooled = $10, final = $11,
      updated_at = to_timestamp($3::float8 / 1000.0), entered_at = to_timestamp($12::float8 / 1000.0),
      data = case when $13::text is null then t.data else t.data || $13::text::jsonb end, title = $14, assigned_to = $15,
      private = $16, priority = $17, attempt = $18, open_blockers = $19, open_holds = $20,
      due_at = to_timestamp($21::float8 / 1000.0), due_action = $22, available_at = to_timestamp($23::float8 / 1000.0),
      exclusive_key = $24, needs_attention = $25, lease_token = $26, lease_holder = $27,
      leased_at = to_timestamp($28::float8 / 1000.0), lease_until = to_timestamp($29::float8 / 1000.0),
      journal_hash = pawl.seal(t.journal_hash, t.id, t.row_version + 1, to_timestamp($3::float8 / 1000.0),
        json_build_array($5::text, $6::text, $7::text, $9::text, $8::text)::text, $30, $31, $32)
    where t.org_id = $1 and t.id = $2 and ($4::text is null or t.xmin = $4::text::xid)
    returning t.row_version, t.journal_hash, t.lifecycle, t.project_id, t.private, t.updated_at
  ), feed as (
    -- Only when the task is moved: this lock is what batches of one org wait for. (A move that finds no task must not be
    -- lost in silence: it is a division by zero.)
    update pawl.org set feed_position = feed_position + 1 / (select count(*) from moved) where id = $1
    returning feed_position as position
  )
  insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, from_status,
    to_status, actor_id, comment, payload, patch, private, client_event_id, expected_row_version, hash, created_at)
  select $1, $2, m.row_version, feed.position, m.lifecycle, m.project_id, $5, $6, $7, $9, $8, $30, $31::json, $32::json,
    m.private, $33, $34, m.journal_hash, m.updated_at
  from moved m cross join feed`;

/** Saves one moved task with its journal row. */
export function saveMove(tx: Tx, org_id: string, { work, decision, after }: Move, now: Instant): void {
  const { event, patch } = decision;
  const { lease } = after;
  const payload = payloadOf(work.command);
  post(tx, SAVE_MOVE, [
    org_id,
    after.id,
    now,
    work.writer,
    event.type,
    event.action,
    event.from,
    work.actor.id,
    after.status,
    isPooled(work.lifecycle, after.status),
    isFinal(work.lifecycle, after.status),
    after.entered_at,
    patch.data === undefined ? null : JSON.stringify(patch.data),
    after.title,
    after.assigned_to,
    after.private,
    after.priority,
    after.attempt,
    after.open_blockers,
    after.open_holds,
    after.due_at,
    after.due_action,
    after.available_at,
    after.exclusive_key,
    after.needs_attention,
    lease?.token ?? null,
    lease?.holder ?? null,
    lease?.heartbeat_at ?? null,
    lease?.until ?? null,
    event.comment,
    payload === null ? null : JSON.stringify(payload),
    JSON.stringify({ ...patch, status: after.status }),
    work.client_event_id,
    work.command.expected_row_version,
  ]);
}
