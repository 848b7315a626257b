import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { visibleTo } from "./visible-to.ts";

/** Selects the tasks that are counted; null means no limit. */
export type Scope = {
  lifecycle: string | null;
  projects: readonly string[] | null;
  /** null: the system, which sees private tasks too. */
  reader: string | null;
};

/** Pairs of lifecycle and status, as parallel arrays. */
export type StatusPairs = { lifecycles: readonly string[]; statuses: readonly string[] };

// Uses the index of unfinished tasks; the finished ones, perhaps millions, are not read.
const COUNT_OPEN = `
  select t.lifecycle, t.status, count(*)::float8 as tasks, min(t.entered_at) as oldest_entered_at,
    count(*) filter (where t.needs_attention or t.due_at <= statement_timestamp() or exists (
      select from unnest($5::text[], $6::text[]) as s(lifecycle, status)
      where s.lifecycle = t.lifecycle and s.status = t.status))::float8 as attention
  from pawl.task t
  where t.org_id = $1 and not t.final
    and ($2::text is null or t.lifecycle = $2)
    and ($3::text[] is null or t.project_id = any($3))
    and ${visibleTo("$4")}
  group by t.lifecycle, t.status`;

export type OpenRow = {
  lifecycle: string;
  status: string;
  tasks: number;
  oldest_entered_at: Instant;
  attention: number;
};

/** Counts the unfinished tasks in each status, and those of them that need attention. */
export function countOpen(tx: Tx, org_id: string, scope: Scope, stuck: StatusPairs): Promise<OpenRow[]> {
  const { lifecycle, projects, reader } = scope;
  return query<OpenRow>(tx, COUNT_OPEN, [
    org_id,
    lifecycle,
    projects,
    reader,
    stuck.lifecycles,
    stuck.statuses,
  ]);
}
