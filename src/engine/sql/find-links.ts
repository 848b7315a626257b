import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { OnFailure } from "./dependencies.ts";

// Walks up to the blockers of a task and down to its dependents. It never turns around, which in a well-linked project would
// find every task.
const FIND_LINKS = `
  with recursive up as (
    select d.task_id, d.blocker_id, d.on_failure, d.resolved, 1 as depth from pawl.dependency d
    where d.org_id = $1 and d.task_id = $2
    union
    select d.task_id, d.blocker_id, d.on_failure, d.resolved, up.depth + 1
    from up join pawl.dependency d on d.org_id = $1 and d.task_id = up.blocker_id
    where up.depth < $3
  ), down as (
    select d.task_id, d.blocker_id, d.on_failure, d.resolved, 1 as depth from pawl.dependency d
    where d.org_id = $1 and d.blocker_id = $2
    union
    select d.task_id, d.blocker_id, d.on_failure, d.resolved, down.depth + 1
    from down join pawl.dependency d on d.org_id = $1 and d.blocker_id = down.task_id
    where down.depth < $3
  )
  select l.task_id, l.blocker_id, l.on_failure, l.resolved
  from (select * from up union all select * from down) as l
  group by l.task_id, l.blocker_id, l.on_failure, l.resolved
  order by min(l.depth), l.blocker_id, l.task_id
  limit $4`;

export type LinkRow = { task_id: string; blocker_id: string; on_failure: OnFailure; resolved: boolean };

/** Finds the dependencies around a task, nearest first. */
export function findLinks(
  tx: Tx,
  org_id: string,
  { task_id, depth, limit }: { task_id: string; depth: number; limit: number },
): Promise<LinkRow[]> {
  return query<LinkRow>(tx, FIND_LINKS, [org_id, task_id, depth, limit]);
}

const LIST_HOLDS = `
  select h.id, h.kind, h.reason, h.placed_by, h.placed_at, h.released_by, h.released_at from pawl.hold h
  where h.org_id = $1 and h.task_id = $2
  order by h.placed_at desc, h.id
  limit $3`;

export type HoldRow = {
  id: string;
  kind: string;
  reason: string | null;
  placed_by: string | null;
  placed_at: Instant;
  released_by: string | null;
  released_at: Instant | null;
};

/** Lists a task's holds, latest first. */
export function listHolds(tx: Tx, org_id: string, task_id: string, limit: number): Promise<HoldRow[]> {
  return query<HoldRow>(tx, LIST_HOLDS, [org_id, task_id, limit]);
}
