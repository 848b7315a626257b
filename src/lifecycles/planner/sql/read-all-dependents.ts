import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const READ_ALL_DEPENDENTS = `
  with recursive waiting as (
    select d.task_id, 1 as depth from pawl.dependency d where d.org_id = $1 and d.blocker_id = $2 and not d.resolved
    union
    select d.task_id, 2 from waiting w
    join pawl.dependency d on d.org_id = $1 and d.blocker_id = w.task_id and not d.resolved
  )
  select t.id, t.title, t.status, t.project_id, t.private, t.readers, t.created_by, t.assigned_to, w.depth = 1 as direct
  from (select w.task_id, min(w.depth) as depth from waiting w group by w.task_id) as w
  join pawl.task t on t.org_id = $1 and t.id = w.task_id and not t.final
  order by w.depth, t.id
  limit 1000`;

export type DependentRow = {
  id: string;
  title: string;
  status: string;
  project_id: string;
  private: boolean;
  created_by: string | null;
  assigned_to: string | null;
  direct: boolean;
};

/** Reads the unfinished tasks that wait for a task, directly or through others. */
export function readAllDependents(tx: Tx, org_id: string, id: string): Promise<DependentRow[]> {
  return query(tx, READ_ALL_DEPENDENTS, [org_id, id]);
}
