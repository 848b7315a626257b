import type { TaskRow } from "../task-row.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// By id, which is by age: a cursor is the last id seen, and a page costs the same wherever it lies.
const LIST_TASKS = `
  select t.* from pawl.task t
  where t.org_id = $1
    and ($2::uuid is null or t.id > $2)
    and ($3::text is null or t.lifecycle = $3)
    and ($4::text[] is null or t.status = any($4))
    and ($5::text[] is null or t.project_id = any($5))
    and ($6::text is null or t.assigned_to = $6)
    and ($7::text is null or position(lower($7) in lower(t.title)) > 0)
    and (not t.private or $8::text is null or t.created_by = $8 or t.assigned_to = $8)
  order by t.id
  limit $9`;

export type TaskFilter = {
  cursor: string | null;
  lifecycle: string | null;
  statuses: readonly string[] | null;
  projects: readonly string[] | null;
  assigned_to: string | null;
  /** Part of a title, in any case. */
  text: string | null;
  /** null: the system, which sees private tasks too. */
  reader: string | null;
  limit: number;
};

export function listTasks(tx: Tx, org_id: string, filter: TaskFilter): Promise<TaskRow[]> {
  return query<TaskRow>(tx, LIST_TASKS, [
    org_id,
    filter.cursor,
    filter.lifecycle,
    filter.statuses,
    filter.projects,
    filter.assigned_to,
    filter.text,
    filter.reader,
    filter.limit,
  ]);
}
