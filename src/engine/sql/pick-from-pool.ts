import { queryCells } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { TASK_COLUMNS } from "./task-columns.ts";
import type { TaskCells } from "./task-columns.ts";

// The lifecycle's conditions are parameters, so that tasks that a claimer may not take do not hide others from it. Locked rows
// are skipped: two concurrent claims get different tasks and never wait for each other.
const PICK_FROM_POOL = `
  select ${TASK_COLUMNS}
  from pawl.task t
  where t.org_id = $1 and t.lifecycle = $2 and t.pooled
    and ($3::text[] is null or t.project_id = any($3))
    and (not t.private or t.created_by = any($4::text[]) or t.assigned_to = any($4::text[]))
    and (t.available_at is null or t.available_at <= clock_timestamp())
    and (not $5::boolean or t.assigned_to is null)
    and (not $6::boolean or not t.private)
    and (not $7::boolean or t.open_blockers = 0)
    and (not $8::boolean or t.open_holds = 0)
    and ($9::text is null or t.data ->> $9 is null or t.data ->> $9 = any($10::text[]))
    and ($13::text is null or t.created_by is distinct from $13)
    and ($11::integer is null or t.priority >= $11)
    and ($14::text is null or t.data ->> $14 is null or t.data ->> $14 = any($15::text[]))
  order by t.priority desc, t.id
  limit $12
  for update of t skip locked`;

export type PoolPick = {
  org_id: string;
  lifecycle: string;
  projects: readonly string[] | null;
  /** Members whose private tasks may be taken as well. */
  actors: readonly string[];
  unassigned: boolean;
  public: boolean;
  unblocked: boolean;
  unheld: boolean;
  /** A field of `data` that must be null or one of `among`. */
  field: string | null;
  among: readonly string[];
  /** A member who must not have created the task. */
  other_than: string | null;
  least_priority: number | null;
  limit: number;
  /** The field by which the claim selects: null or one of `wanted_values`. */
  wanted_field: string | null;
  wanted_values: readonly string[];
};

/** Locks and returns the best free tasks. */
export function pickFromPool(tx: Tx, pick: PoolPick): Promise<TaskCells[]> {
  return queryCells<TaskCells>(tx, PICK_FROM_POOL, [
    pick.org_id,
    pick.lifecycle,
    pick.projects,
    pick.actors,
    pick.unassigned,
    pick.public,
    pick.unblocked,
    pick.unheld,
    pick.field,
    pick.among,
    pick.least_priority,
    pick.limit,
    pick.other_than,
    pick.wanted_field,
    pick.wanted_values,
  ]);
}
