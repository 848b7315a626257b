import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const READ_NODES = `
  select t.id, t.title, t.status, t.priority, t.attempt, t.data ->> 'worker' as worker, t.needs_attention,
    t.data ->> 'retry_of' as retry_of
  from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'code' and t.project_id = $2
    and (not t.private or $3 in (t.created_by, t.assigned_to))
    and ($4 or not t.final or exists (
      select from pawl.dependency d where d.org_id = $1 and d.blocker_id = t.id and not d.resolved))
  order by t.id desc
  limit $5`;

export type NodeRow = {
  id: string;
  title: string;
  status: string;
  priority: number;
  attempt: number;
  worker: string | null;
  needs_attention: boolean;
  retry_of: string | null;
};

/** Reads the newest tasks of a project, newest first. */
export function readNodes(
  tx: Tx,
  org_id: string,
  filter: { project_id: string; reader: string | null; finished: boolean; limit: number },
): Promise<NodeRow[]> {
  return query<NodeRow>(tx, READ_NODES, [
    org_id,
    filter.project_id,
    filter.reader,
    filter.finished,
    filter.limit,
  ]);
}

const COUNT_BY_STATUS = `
  select t.status, count(*)::integer as tasks, (count(*) filter (where t.needs_attention))::integer as needs_attention,
    (count(*) filter (where t.open_holds > 0))::integer as held
  from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'code' and t.project_id = $2
    and (not t.private or $3 in (t.created_by, t.assigned_to))
    and ($4::text is null or t.data ->> 'repository' is null or t.data ->> 'repository' = $4)
  group by t.status`;

/** Counts the tasks of a project by status. */
export function countByStatus(
  tx: Tx,
  org_id: string,
  {
    project_id,
    reader,
    repository,
  }: { project_id: string; reader: string | null; repository: string | null },
): Promise<{ status: string; tasks: number; needs_attention: number; held: number }[]> {
  return query(tx, COUNT_BY_STATUS, [org_id, project_id, reader, repository]);
}

const FIND_WAITING = `
  select d.task_id from pawl.dependency d
  where d.org_id = $1 and d.blocker_id = $2 and not d.resolved
  order by d.task_id`;

/** Finds the tasks that wait for a blocker. */
export async function findWaiting(tx: Tx, org_id: string, blocker_id: string): Promise<string[]> {
  const rows = await query<{ task_id: string }>(tx, FIND_WAITING, [org_id, blocker_id]);
  return rows.map(({ task_id }) => task_id);
}
