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

// The newest first: the same walk backwards.
const LIST_NEWEST = `
  select t.* from pawl.task t
  where t.org_id = $1
    and ($2::uuid is null or t.id < $2)
    and ($3::text is null or t.lifecycle = $3)
    and ($4::text[] is null or t.status = any($4))
    and ($5::text[] is null or t.project_id = any($5))
    and ($6::text is null or t.assigned_to = $6)
    and ($7::text is null or position(lower($7) in lower(t.title)) > 0)
    and (not t.private or $8::text is null or t.created_by = $8 or t.assigned_to = $8)
  order by t.id desc
  limit $9`;

// All that fits is looked at, and the best of it kept. What tasks are sorted by is made one number, smaller is earlier, so
// that a cursor is that number and an id.
const LIST_SORTED = `
  select s.*, s.sort_key::text as sort_key from (
    select t.*, coalesce($11::float8 * case $10
      when 'updated' then extract(epoch from t.updated_at)::float8
      when 'entered' then extract(epoch from t.entered_at)::float8
      when 'due' then extract(epoch from t.due_at)::float8
      else t.priority::float8 end, 'Infinity') as sort_key
    from pawl.task t
    where t.org_id = $1
      and ($3::text is null or t.lifecycle = $3)
      and ($4::text[] is null or t.status = any($4))
      and ($5::text[] is null or t.project_id = any($5))
      and ($6::text is null or t.assigned_to = $6)
      and ($7::text is null or position(lower($7) in lower(t.title)) > 0)
      and (not t.private or $8::text is null or t.created_by = $8 or t.assigned_to = $8)
  ) as s
  where $2::uuid is null or (s.sort_key, s.id) > ($12::text::float8, $2)
  order by s.sort_key, s.id
  limit $9`;

export type TaskSort = "created" | "updated" | "entered" | "due" | "priority";

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
  { unfinished, newestFirst }: { unfinished: boolean; newestFirst: boolean },
): Promise<TaskRow[]> {
  const statement = newestFirst ? LIST_NEWEST : unfinished ? LIST_UNFINISHED : LIST_TASKS;
  return query<TaskRow>(tx, statement, paramsOf(org_id, filter));
}

/** Tasks by something else than their age; each with the key that it was sorted by. */
export function listSorted(
  tx: Tx,
  org_id: string,
  filter: TaskFilter,
  { sort, descending, after }: { sort: TaskSort; descending: boolean; after: string | null },
): Promise<(TaskRow & { sort_key: string })[]> {
  return query(tx, LIST_SORTED, [...paramsOf(org_id, filter), sort, descending ? -1 : 1, after]);
}

function paramsOf(org_id: string, filter: TaskFilter) {
  return [
    org_id,
    filter.cursor,
    filter.lifecycle,
    filter.statuses,
    filter.projects,
    filter.assigned_to,
    filter.text,
    filter.reader,
    filter.limit,
  ];
}
