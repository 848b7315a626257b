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

// One walk along the index of unfinished tasks for each status, each in the order of ids and no longer than a page: what is
// finished, of which there may be millions, is not looked at.
const LIST_UNFINISHED = `
  select p.* from unnest($4::text[]) as s(status)
  cross join lateral (
    select t.* from pawl.task t
    where t.org_id = $1 and t.lifecycle = $3 and t.status = s.status and not t.final
      and t.id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
      and ($5::text[] is null or t.project_id = any($5))
      and ($6::text is null or t.assigned_to = $6)
      and ($7::text is null or position(lower($7) in lower(t.title)) > 0)
      and (not t.private or $8::text is null or t.created_by = $8 or t.assigned_to = $8)
    order by t.id
    limit $9
  ) as p
  order by p.id
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

/** `unfinished`: it is known that the lifecycle is given, and that none of the statuses is final. */
export function listTasks(
  tx: Tx,
  org_id: string,
  filter: TaskFilter,
  { unfinished }: { unfinished: boolean },
): Promise<TaskRow[]> {
  return query<TaskRow>(tx, unfinished ? LIST_UNFINISHED : LIST_TASKS, [
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
