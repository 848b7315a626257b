import { listTasks, query } from "../../../plugin/index.ts";
import type { Bind, TaskRow, Tx } from "../../../plugin/index.ts";

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
  /** Only unfinished tasks that are due before this moment. */
  due_before?: string | undefined;
  /** Whether all given statuses are unfinished ones. */
  unfinished: boolean;
  limit: number;
};

/** Lists tasks, oldest first. Deliverable, parent and fixed task are matched by links. */
export function listPlannerTasks(tx: Tx, org_id: string, filter: PlannerFilter): Promise<TaskRow[]> {
  const { cursor = null, status = null, projects, assigned_to, text, unfinished, limit } = filter;
  const filters = { statuses: status, unfinished, projects, assigned_to, text };
  const more = (bind: Bind) => ownConditions(org_id, filter, bind);
  const whole = { ...filters, lifecycle: { known: "planner" }, reader: null, more };
  return listTasks(tx, org_id, whole, { cursor, newestFirst: false, limit });
}

function ownConditions(org_id: string, filter: PlannerFilter, bind: Bind): string[] {
  const { kind, required_trade, needs_attention, due_before } = filter;
  const links = [
    ["deliverable", filter.deliverable_id],
    ["parent", filter.parent_task_id],
    ["fix", filter.fix_of_task_id],
  ] as const;
  return [
    ...(kind === undefined ? [] : [`t.data ->> 'kind' = ${bind(kind)}`]),
    ...(required_trade === undefined ? [] : [`t.data ->> 'required_trade' = ${bind(required_trade)}`]),
    ...(needs_attention === undefined
      ? []
      : [needs_attention ? "t.needs_attention" : "not t.needs_attention"]),
    // The conditions of the index of due dates.
    ...(due_before === undefined
      ? []
      : [
          `not t.final and t.data ->> 'due_at' is not null and (t.data ->> 'due_at')::float8 < ${bind(Date.parse(due_before))}::float8`,
        ]),
    ...links.flatMap(([link, target]) =>
      target === undefined
        ? []
        : [
            `t.id = any(array(select l.task_id from pawl.planner_link l
              where l.org_id = ${bind(org_id)} and l.kind = '${link}' and l.target = ${bind(target)}::uuid))`,
          ],
    ),
  ];
}

// In the order of the pool's index: highest priority first, then oldest.
const LIST_POOL = `
  select t.* from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'planner' and t.pooled
    and ($2::text[] is null or t.project_id = any($2))
    and ($3::text[] is null or t.data ->> 'required_trade' is null or t.data ->> 'required_trade' = any($3))
    and ($4::integer is null or t.priority < $4 or (t.priority = $4 and t.id > $5::uuid))
  order by t.priority desc, t.id
  limit $6`;

export type PoolQuery = {
  projects: readonly string[] | null;
  /** Only tasks of these trades, or without a trade; null: all. */
  trades: readonly string[] | null;
  after: { priority: number; id: string } | null;
  limit: number;
};

export function listPool(
  tx: Tx,
  org_id: string,
  { projects, trades, after, limit }: PoolQuery,
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
