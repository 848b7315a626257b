import type { Instant } from "../../../core/index.ts";
import { findPosition, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Starts at a feed position shortly before `since` and compares the time again: an index by time would cost every event.
const READ_EVENTS = `
  select e.task_id, e.action, e.actor_id, e.created_at, t.created_at as task_created_at, t.status, held.by as held_by,
    started.at as started_at
  from pawl.event e
  -- The offset forces one lookup per event: planned for a third of the feed, a join would read all tasks of the org.
  cross join lateral (
    select k.status, k.assigned_to, k.created_by, k.private, k.created_at from pawl.task k
    where k.org_id = $1 and k.id = e.task_id offset 0
  ) as t
  -- The assignee at the time of the event: set by the last change before it.
  left join lateral (
    select h.patch ->> 'assigned_to' as by from pawl.event h
    where h.org_id = $1 and h.task_id = e.task_id and h.row_version < e.row_version and h.patch -> 'assigned_to' is not null
    order by h.row_version desc limit 1
  ) as held on e.action in ('cancel', 'expire', 'escalate', 'take_over')
  left join lateral (
    select min(b.created_at) as at from pawl.event b
    where b.org_id = $1 and b.task_id = e.task_id and b.to_status = 'IN_PROGRESS'
  ) as started on e.action = 'complete'
  where e.org_id = $1 and e.position > $5::bigint and e.lifecycle = 'board' and e.project_id = $2
    and e.created_at >= to_timestamp($4::float8 / 1000.0)
    and e.action in ('create', 'complete', 'cancel', 'expire', 'escalate', 'take_over')
    and (not t.private or $3 in (t.created_by, t.assigned_to))`;

export type StatEvent = {
  task_id: string;
  action: string;
  actor_id: string | null;
  created_at: Instant;
  task_created_at: Instant;
  /** The current status of the task. */
  status: string;
  /** The assignee at the time of the event. */
  held_by: string | null;
  /** When it was first in progress. */
  started_at: Instant | null;
};

/** Reads the events since a moment that count for statistics, of tasks that the reader may see. */
export async function readStatEvents(
  tx: Tx,
  org_id: string,
  { workspace_id, reader, since }: { workspace_id: string; reader: string | null; since: Instant },
): Promise<StatEvent[]> {
  const { position } = await findPosition(tx, org_id, { since, most: Number.MAX_SAFE_INTEGER });
  return query<StatEvent>(tx, READ_EVENTS, [org_id, workspace_id, reader, since, position]);
}

// Current counts; each part uses its own partial index.
const READ_PRESENT = `
  select 'in_progress' as what, t.assigned_to as who, count(*)::integer as tasks from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'board' and t.status = 'IN_PROGRESS' and not t.final and t.project_id = $2
    and (not t.private or $3 in (t.created_by, t.assigned_to))
  group by t.assigned_to
  union all
  select 'stuck', null, count(*)::integer from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'board' and t.status = 'STUCK' and not t.final and t.project_id = $2
    and (not t.private or $3 in (t.created_by, t.assigned_to))
  union all
  select 'overdue', null, count(*)::integer from pawl.task t
  where t.org_id = $1 and t.due_at <= statement_timestamp() and t.lifecycle = 'board' and t.project_id = $2
    and (not t.private or $3 in (t.created_by, t.assigned_to))`;

export type CurrentCount = { what: "in_progress" | "stuck" | "overdue"; who: string | null; tasks: number };

export function readCurrentCounts(
  tx: Tx,
  org_id: string,
  { workspace_id, reader }: { workspace_id: string; reader: string | null },
): Promise<CurrentCount[]> {
  return query<CurrentCount>(tx, READ_PRESENT, [org_id, workspace_id, reader]);
}

const READ_NAMES = `select m.id, m.name from pawl.member m where m.org_id = $1 and m.id = any($2::text[])`;

export async function readNames(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await query<{ id: string; name: string }>(tx, READ_NAMES, [org_id, ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
