import type { TaskRow } from "../task-row.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { LinkRow } from "./find-links.ts";
import { visibleTo } from "./visible-to.ts";

// Unfinished tasks first, then finished ones, each newest first. At most $7 tasks of each are read, so that the statement is
// fast even in an org with a million tasks.
const FIND_LINKED = `
  select l.* from (
    (select t.* from (
      select u.* from pawl.task u
      where u.org_id = $1 and not u.final and ($2::text is null or u.lifecycle = $2)
      order by u.id desc
      limit $7
    ) as t
    where ($3::text[] is null or t.project_id = any($3))
      and ${visibleTo("$4")}
      and (exists (select from pawl.dependency d where d.org_id = $1 and d.task_id = t.id)
        or exists (select from pawl.dependency d where d.org_id = $1 and d.blocker_id = t.id))
    order by t.id desc
    limit $6)
    union all
    (select t.* from (
      select u.* from pawl.task u
      where $5::boolean and u.org_id = $1
      order by u.id desc
      limit $7
    ) as t
    where t.final and ($2::text is null or t.lifecycle = $2)
      and ($3::text[] is null or t.project_id = any($3))
      and ${visibleTo("$4")}
      and (exists (select from pawl.dependency d where d.org_id = $1 and d.task_id = t.id)
        or exists (select from pawl.dependency d where d.org_id = $1 and d.blocker_id = t.id))
    order by t.id desc
    limit $6)
  ) as l
  order by l.final, l.id desc
  limit $6`;

const MAX_READ = 20_000;

export type LinkedFilter = {
  lifecycle: string | null;
  projects: readonly string[] | null;
  /** null: the system, which sees private tasks too. */
  reader: string | null;
  finished: boolean;
  limit: number;
};

/** Finds tasks that wait for others, or that others wait for. */
export function findLinked(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, reader, finished, limit }: LinkedFilter,
): Promise<TaskRow[]> {
  return query<TaskRow>(tx, FIND_LINKED, [org_id, lifecycle, projects, reader, finished, limit, MAX_READ]);
}

const FIND_LINKS_AMONG = `
  select d.task_id, d.blocker_id, d.on_failure, d.resolved from pawl.dependency d
  where d.org_id = $1 and d.task_id = any($2::uuid[]) and d.blocker_id = any($2::uuid[])
  order by d.blocker_id, d.task_id
  limit $3`;

/** Finds the dependencies between these tasks. */
export function findLinksAmong(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
  limit: number,
): Promise<LinkRow[]> {
  return query<LinkRow>(tx, FIND_LINKS_AMONG, [org_id, ids, limit]);
}
