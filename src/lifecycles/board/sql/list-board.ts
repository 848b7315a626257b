import { query } from "../../../plugin/index.ts";
import type { TaskRow, Tx } from "../../../plugin/index.ts";
import type { BoardSort } from "../api.ts";

// Selects open and finished tasks separately: the index of unfinished tasks serves only statements with `not final`, and a
// query for open tasks skips the finished ones ($15). Sort keys are numbers, so that a minus reverses the order. Only ids and keys
// are counted and sorted, and the rows of the page are read at the end: sorting 100,000 whole rows took three times as long.
const LIST_BOARD = `
  select r.*, page.total
  from (
    select t.id, (count(*) over ())::integer as total,
      s.keys[($11::integer[])[1]] * ($12::integer[])[1] as first, s.keys[($11::integer[])[2]] * ($12::integer[])[2] as second,
      s.keys[($11::integer[])[3]] * ($12::integer[])[3] as third, s.keys[($11::integer[])[4]] * ($12::integer[])[4] as fourth
    from (
      select o.* from pawl.task o
      where o.org_id = $1 and o.lifecycle = 'board' and not o.final and o.status = any($4::text[])
      union all
      select f.* from pawl.task f
      where $15::boolean and f.org_id = $1 and f.lifecycle = 'board' and f.final and f.status = any($4::text[])
    ) as t
    cross join lateral (
      select array[t.priority, date_part('epoch', t.created_at), date_part('epoch', t.updated_at),
        date_part('epoch', t.due_at)]::float8[] as keys
    ) as s
    where t.project_id = $2
      and (not t.private or $3 in (t.created_by, t.assigned_to))
      and ($5::text is null or t.assigned_to = $5)
      and ($6::boolean is null or (t.assigned_to is null) = $6)
      and ($7::boolean is null or t.private = $7)
      and ($8::integer[] is null or t.priority = any($8))
      and ($9::boolean is null or coalesce(t.due_at <= statement_timestamp(), false) = $9)
      and ($16::text[] is null or t.data -> 'labels' @> to_jsonb($16::text[]))
      and ($17::uuid[] is null or t.id = any($17::uuid[]))
      and ($10::boolean is null or (t.open_blockers > 0) = $10)
    order by first, second, third, fourth, t.id
    limit $13 offset $14
  ) as page
  cross join lateral (select k.* from pawl.task k where k.org_id = $1 and k.id = page.id offset 0) as r
  order by page.first, page.second, page.third, page.fourth, page.id`;

/** In the order of `keys` in the statement. */
const SORT_KEYS: readonly BoardSort[] = ["priority", "created_at", "updated_at", "status_deadline_at"];

export type BoardFilter = {
  workspace_id: string;
  reader: string | null;
  statuses: readonly string[];
  with_finished: boolean;
  assignee: string | null;
  unassigned: boolean | null;
  private: boolean | null;
  priorities: readonly number[] | null;
  labels: readonly string[] | null;
  /** The ids that a search has found. */
  ids: readonly string[] | null;
  overdue: boolean | null;
  has_unresolved_blockers: boolean | null;
  /** Names of sort keys; a leading minus reverses the order. */
  sort: readonly string[];
  limit: number;
  offset: number;
};

/** Reads a page of a workspace's tasks, and the total number of matches. */
export async function listBoard(
  tx: Tx,
  org_id: string,
  filter: BoardFilter,
): Promise<{ rows: TaskRow[]; total: number }> {
  const readPage = (limit: number, offset: number) =>
    query<TaskRow & { total: number }>(tx, LIST_BOARD, [
      org_id,
      filter.workspace_id,
      filter.reader,
      filter.statuses,
      filter.assignee,
      filter.unassigned,
      filter.private,
      filter.priorities,
      filter.overdue,
      filter.has_unresolved_blockers,
      filter.sort.map((name) => SORT_KEYS.indexOf(name.replace("-", "") as BoardSort) + 1),
      filter.sort.map((name) => (name.startsWith("-") ? -1 : 1)),
      limit,
      offset,
      filter.with_finished,
      filter.labels,
      filter.ids,
    ]);
  const rows = await readPage(filter.limit, filter.offset);
  if (rows.length > 0 || filter.offset === 0) return { rows, total: rows[0]?.total ?? 0 };
  // A page beyond the end has no row that contains the total.
  const [first] = await readPage(1, 0);
  return { rows, total: first?.total ?? 0 };
}
