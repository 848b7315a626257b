import { planAnew, query } from "../../../plugin/index.ts";
import type { TaskRow, Tx } from "../../../plugin/index.ts";

// By id, which is by age. Planned anew each time: what is finished, of which there may be millions, is looked at only where it is
// asked for, and what belongs to something is found by its links.
const LIST_PLANNER_TASKS = `
  select t.* from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'planner'
    and ($2::uuid is null or t.id > $2)
    and ($3::text[] is null or t.project_id = any($3))
    and ($4::text[] is null or t.status = any($4))
    and ($5::text is null or t.assigned_to = $5)
    and ($6::text is null or t.data ->> 'kind' = $6)
    and ($7::text is null or t.data ->> 'required_trade' = $7)
    and ($8::boolean is null or (case when $8 then t.needs_attention else not t.needs_attention end))
    and ($9::uuid is null or t.id = any(array(select l.task_id from pawl.planner_link l
      where l.org_id = $1 and l.kind = 'deliverable' and l.target = $9)))
    and ($10::uuid is null or t.id = any(array(select l.task_id from pawl.planner_link l
      where l.org_id = $1 and l.kind = 'parent' and l.target = $10)))
    and ($11::uuid is null or t.id = any(array(select l.task_id from pawl.planner_link l
      where l.org_id = $1 and l.kind = 'fix' and l.target = $11)))
    and ($12::text is null or position(lower($12) in lower(t.title)) > 0)
    and (not $13::boolean or not t.final)
  order by t.id
  limit $14`;

export type PlannerFilter = {
  projects: readonly string[] | null;
  assigned_to: string | null;
  /** Part of a title, in any case. */
  text: string | null;
  cursor?: string | undefined;
  status?: readonly string[] | undefined;
  kind?: string | undefined;
  required_trade?: string | undefined;
  needs_attention?: boolean | undefined;
  deliverable_id?: string | undefined;
  parent_task_id?: string | undefined;
  fix_of_task_id?: string | undefined;
  /** It is known that none of the statuses is final. */
  unfinished: boolean;
  limit: number;
};

export async function listPlannerTasks(tx: Tx, org_id: string, filter: PlannerFilter): Promise<TaskRow[]> {
  await planAnew(tx);
  return query<TaskRow>(tx, LIST_PLANNER_TASKS, [
    org_id,
    filter.cursor ?? null,
    filter.projects,
    filter.status ?? null,
    filter.assigned_to,
    filter.kind ?? null,
    filter.required_trade ?? null,
    filter.needs_attention ?? null,
    filter.deliverable_id ?? null,
    filter.parent_task_id ?? null,
    filter.fix_of_task_id ?? null,
    filter.text,
    filter.unfinished,
    filter.limit,
  ]);
}

// In the order of the pool's own index: best first, and of equals the oldest.
const LIST_POOL = `
  select t.* from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'planner' and t.pooled
    and ($2::text[] is null or t.project_id = any($2))
    and ($3::text[] is null or t.data ->> 'required_trade' is null or t.data ->> 'required_trade' = any($3))
    and ($4::integer is null or t.priority < $4 or (t.priority = $4 and t.id > $5::uuid))
  order by t.priority desc, t.id
  limit $6`;

export type PoolWalk = {
  projects: readonly string[] | null;
  /** Whose work is asked for; null: everybody's. */
  trades: readonly string[] | null;
  after: { priority: number; id: string } | null;
  limit: number;
};

export function listPool(
  tx: Tx,
  org_id: string,
  { projects, trades, after, limit }: PoolWalk,
): Promise<TaskRow[]> {
  return query<TaskRow>(tx, LIST_POOL, [
    org_id,
    projects,
    trades,
    after?.priority ?? null,
    after?.id ?? null,
    limit,
  ]);
}
