import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { TaskRow, Tx } from "../../../plugin/index.ts";

// Each statement below finds the oldest 1,000 items of its kind along a partial index.

// Counts the items and returns one page of them. The left join keeps the count if the page is empty.
const PAGE_OF_FOUND = `
  select c.total, p.* from (select count(*)::integer as total from found) as c
  left join lateral (
    select t.*, f.item_id, f.since, f.by, f.reason, f.text, f.source_id, f.source_title
    from found f join pawl.task t on t.org_id = $1 and t.id = f.task_id
    where $3::float8 is null or (f.since, f.item_id collate "C") > (to_timestamp($3 / 1000.0), $4::text)
    order by f.since, f.item_id collate "C"
    limit $5
  ) as p on true`;

const READ_ESCALATED = `
  with found as materialized (
    select e.id::text as item_id, e.task_id, e.opened_at as since, e.opened_by as by, e.reason, e.text,
      e.id as source_id, null::text as source_title
    from pawl.planner_escalation e
    join pawl.task k on k.org_id = $1 and k.id = e.task_id
    where e.org_id = $1 and e.resolved_at is null and ($2::text[] is null or k.project_id = any($2))
    order by e.opened_at, e.id
    limit 1000
  )${PAGE_OF_FOUND}`;

const READ_HELD = `
  with found as materialized (
    select h.id::text as item_id, h.task_id, h.placed_at as since, h.placed_by as by, h.kind as reason, h.reason as text,
      h.id as source_id, null::text as source_title
    from pawl.task k
    join pawl.hold h on h.org_id = $1 and h.task_id = k.id and h.released_at is null
    where k.org_id = $1 and k.lifecycle = 'planner' and k.open_holds > 0 and not k.final
      and ($2::text[] is null or k.project_id = any($2))
    order by h.placed_at, h.id
    limit 1000
  )${PAGE_OF_FOUND}`;

// A blocker that is final and whose dependency is unresolved was not done. It is in the project of the task that waits.
const READ_BLOCKED = `
  with found as materialized (
    select k.id || '.' || b.id as item_id, k.id as task_id, b.entered_at as since, null::text as by, b.status as reason,
      b.data ->> 'reason' as text, b.id as source_id, b.title as source_title
    from pawl.task k
    join pawl.dependency d on d.org_id = $1 and d.task_id = k.id and not d.resolved
    join pawl.task b on b.org_id = $1 and b.id = d.blocker_id and b.final
    where k.org_id = $1 and k.lifecycle = 'planner' and k.needs_attention and not k.final
      and ($2::text[] is null or k.project_id = any($2))
    order by b.entered_at, k.id, b.id
    limit 1000
  )${PAGE_OF_FOUND}`;

const READ_SUBMITTED = `
  with found as materialized (
    select k.id::text as item_id, k.id as task_id, k.entered_at as since, k.assigned_to as by, null::text as reason,
      k.data ->> 'resolution' as text, null::uuid as source_id, null::text as source_title
    from pawl.task k
    where k.org_id = $1 and k.lifecycle = 'planner' and k.status = 'submitted' and not k.final
      and ($2::text[] is null or k.project_id = any($2))
    order by k.entered_at, k.id
    limit 1000
  )${PAGE_OF_FOUND}`;

// Along the index of due dates.
const READ_LATE = `
  with found as materialized (
    select k.id::text as item_id, k.id as task_id, to_timestamp((k.data ->> 'due_at')::float8 / 1000.0) as since,
      k.assigned_to as by, null::text as reason, null::text as text, null::uuid as source_id, null::text as source_title
    from pawl.task k
    where k.org_id = $1 and k.lifecycle = 'planner' and not k.final and k.data ->> 'due_at' is not null
      and (k.data ->> 'due_at')::float8 <= extract(epoch from statement_timestamp()) * 1000
      and ($2::text[] is null or k.project_id = any($2))
    order by (k.data ->> 'due_at')::float8, k.id
    limit 1000
  )${PAGE_OF_FOUND}`;

export const ATTENTION_STATEMENTS = {
  escalation: READ_ESCALATED,
  late: READ_LATE,
  blocked: READ_BLOCKED,
  held: READ_HELD,
  review: READ_SUBMITTED,
} as const;

export type ListedKind = keyof typeof ATTENTION_STATEMENTS;

/** An item for the lead, with the row of its task. */
export type AttentionItemRow = TaskRow & {
  item_id: string;
  since: Instant;
  by: string | null;
  reason: string | null;
  text: string | null;
  /** The escalation, the hold or the blocker. */
  source_id: string | null;
  source_title: string | null;
};

export type ItemPage = {
  projects: readonly string[] | null;
  after: { since: Instant; item_id: string } | null;
  limit: number;
};

/** Reads a page of one kind, oldest first, and the number of its items, at most 1,000. */
export async function readAttention(
  tx: Tx,
  org_id: string,
  kind: ListedKind,
  { projects, after, limit }: ItemPage,
): Promise<{ total: number; rows: AttentionItemRow[] }> {
  const params = [org_id, projects, after?.since ?? null, after?.item_id ?? null, limit];
  const rows = await query<{ total: number; item_id: string | null }>(tx, ATTENTION_STATEMENTS[kind], params);
  return {
    total: rows[0]?.total ?? 0,
    rows: rows.filter(({ item_id }) => item_id !== null) as (AttentionItemRow & { total: number })[],
  };
}
