import type { Instant } from "../../../core/index.ts";
import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

export type Escalation = {
  id: string;
  task_id: string;
  reason: string;
  text: string | null;
  opened_by: string | null;
  opened_at: Instant;
  note: string | null;
  resolved_by: string | null;
  resolved_at: Instant | null;
};

const OPEN_ESCALATIONS = `
  insert into pawl.planner_escalation (org_id, id, task_id, reason, text, opened_by, opened_at)
  select $1, e.id, e.task_id, e.reason, e.text, e.opened_by, to_timestamp($3::float8 / 1000.0)
  from json_to_recordset($2::text::json) as e(id uuid, task_id uuid, reason text, text text, opened_by text)`;

export async function openEscalations(
  tx: Tx,
  org_id: string,
  opened: readonly Pick<Escalation, "id" | "task_id" | "reason" | "text" | "opened_by">[],
  now: Instant,
): Promise<void> {
  await query(tx, OPEN_ESCALATIONS, [org_id, asRows(opened), now]);
}

const CLOSE_ESCALATIONS = `
  update pawl.planner_escalation e
  set note = r.note, resolved_by = r.resolved_by, resolved_at = to_timestamp($3::float8 / 1000.0)
  from json_to_recordset($2::text::json) as r(id uuid, note text, resolved_by text)
  where e.org_id = $1 and e.id = r.id and e.resolved_at is null
  returning e.id, e.task_id, e.reason, e.text, e.opened_by, e.opened_at, e.note, e.resolved_by, e.resolved_at`;

export function closeEscalations(
  tx: Tx,
  org_id: string,
  resolved: readonly { id: string; note: string; resolved_by: string | null }[],
  now: Instant,
): Promise<Escalation[]> {
  return query(tx, CLOSE_ESCALATIONS, [org_id, asRows(resolved), now]);
}

const READ_ESCALATIONS = `
  select e.id, e.task_id, e.reason, e.text, e.opened_by, e.opened_at, e.note, e.resolved_by, e.resolved_at
  from pawl.planner_escalation e
  where e.org_id = $1 and e.task_id = $2
  order by e.id
  limit 1000`;

/** Reads the escalations of a task, oldest first. */
export function readEscalations(tx: Tx, org_id: string, task_id: string): Promise<Escalation[]> {
  return query(tx, READ_ESCALATIONS, [org_id, task_id]);
}

const READ_NAMED_ESCALATIONS = `
  select e.id, e.task_id, e.resolved_at is null as open from pawl.planner_escalation e
  where e.org_id = $1 and e.id = any($2::uuid[])`;

export function readNamedEscalations(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<{ id: string; task_id: string; open: boolean }[]> {
  return ids.length === 0 ? Promise.resolve([]) : query(tx, READ_NAMED_ESCALATIONS, [org_id, ids]);
}
