import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Scope, StatusPairs } from "./count-open.ts";
import { visibleTo } from "./visible-to.ts";

const LIST_ATTENTION = `
  select t.id as task_id, t.lifecycle, t.project_id, t.title, t.status, t.assigned_to, t.entered_at as since, t.due_at,
    t.needs_attention as flagged, coalesce(t.due_at <= statement_timestamp(), false) as overdue, stuck.here as stuck
  from pawl.task t
  cross join lateral (
    select exists (
      select from unnest($5::text[], $6::text[]) as s(lifecycle, status)
      where s.lifecycle = t.lifecycle and s.status = t.status) as here
  ) as stuck
  where t.org_id = $1 and not t.final
    and (t.needs_attention or t.due_at <= statement_timestamp() or stuck.here)
    and ($2::text is null or t.lifecycle = $2)
    and ($3::text[] is null or t.project_id = any($3))
    and ${visibleTo("$4")}
  order by t.entered_at, t.id
  limit $7`;

export type AttentionRow = {
  task_id: string;
  lifecycle: string;
  project_id: string;
  title: string;
  status: string;
  assigned_to: string | null;
  since: Instant;
  due_at: Instant | null;
  flagged: boolean;
  overdue: boolean;
  stuck: boolean;
};

/** Lists the tasks that need attention: flagged, overdue or stuck; longest in their status first. */
export function listAttention(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, reader }: Scope,
  stuck: StatusPairs,
  limit: number,
): Promise<AttentionRow[]> {
  const { lifecycles, statuses } = stuck;
  return query(tx, LIST_ATTENTION, [org_id, lifecycle, projects, reader, lifecycles, statuses, limit]);
}
