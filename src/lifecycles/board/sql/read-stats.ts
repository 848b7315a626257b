import type { Instant } from "../../../core/index.ts";
import { findPosition, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Starts at a feed position shortly before `since` and compares the time again: an index by time would cost every event. Counts here:
// sending 450,000 events to Node took several times as long. Each event is looked up by subqueries, not by joins: planned for a third
// of the feed, a join would read all tasks of the org or cache rows that occur once. The visibility of a task never changes, so the
// event has it as well.
const COUNT_EVENTS = `
  select c.action, c.actor_id, c.held_by, c.status, count(*)::integer as events,
    sum(date_part('epoch', c.created_at - c.task_created_at)) as lead_seconds,
    sum(date_part('epoch', c.created_at - c.started_at)) as cycle_seconds, count(c.started_at)::integer as cycles
  from (
    select e.action, e.actor_id, e.created_at,
      case when e.action = 'create' then (
        select k.status from pawl.task k where k.org_id = $1 and k.id = e.task_id) end as status,
      case when e.action = 'complete' then (
        select k.created_at from pawl.task k where k.org_id = $1 and k.id = e.task_id) end as task_created_at,
      case when e.action = 'complete' then (
        select b.created_at from pawl.event b
        where b.org_id = $1 and b.task_id = e.task_id and b.to_status = 'IN_PROGRESS'
        order by b.row_version limit 1) end as started_at,
      -- The assignee at the time of the event: set by the last change before it.
      case when e.action in ('cancel', 'expire', 'escalate', 'take_over') then (
        select h.patch ->> 'assigned_to' from pawl.event h
        where h.org_id = $1 and h.task_id = e.task_id and h.row_version < e.row_version and h.patch -> 'assigned_to' is not null
        order by h.row_version desc limit 1) end as held_by
    from pawl.event e
    where e.org_id = $1 and e.position > $5::bigint and e.lifecycle = 'board' and e.project_id = $2
      and e.created_at >= to_timestamp($4::float8 / 1000.0)
      and e.action in ('create', 'complete', 'cancel', 'expire', 'escalate', 'take_over')
      and (not e.private or (
        select $3 in (p.created_by, p.assigned_to) from pawl.task p where p.org_id = $1 and p.id = e.task_id))
    offset 0
  ) as c
  group by c.action, c.actor_id, c.held_by, c.status`;

/** The number of equal events, with the sums of their times. */
export type EventCount = {
  action: string;
  actor_id: string | null;
  /** The assignee at the time of the event. */
  held_by: string | null;
  /** The current status of the task, of creations and completions. */
  status: string | null;
  events: number;
  /** From the creation of the tasks to the events. */
  lead_seconds: number | null;
  /** From the time when the tasks were first in progress, of `cycles` of the events. */
  cycle_seconds: number | null;
  cycles: number;
};

/** Counts the events since a moment that matter for statistics, of tasks that the reader may see. */
export async function countStatEvents(
  tx: Tx,
  org_id: string,
  { workspace_id, reader, since }: { workspace_id: string; reader: string | null; since: Instant },
): Promise<EventCount[]> {
  const { position } = await findPosition(tx, org_id, { since, most: Number.MAX_SAFE_INTEGER });
  return query<EventCount>(tx, COUNT_EVENTS, [org_id, workspace_id, reader, since, position]);
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
