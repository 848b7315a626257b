import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

/** What is told of an event, with what it takes to judge who may see it. */
export type FeedEvent = {
  position: number;
  type: string;
  lifecycle: string;
  project_id: string;
  task_id: string;
  row_version: number;
  action: string;
  from_status: string | null;
  to_status: string | null;
  actor_id: string | null;
  created_at: Instant;
  private: boolean;
  /** Of a private event, by the task as it is now; null of all others, and where the task is gone. */
  created_by: string | null;
  assigned_to: string | null;
};

/** Which part of a feed to read. Narrower is only cheaper: who may see what is judged by whoever reads. */
export type FeedWalk = {
  after: number;
  limit: number;
  task_id?: string | null;
  lifecycle?: string | null;
  /** null: all of the org's. */
  projects?: readonly string[] | null;
};

/** The next events, up to and with the position `last`; `ended` where there was nothing after it. */
export type FeedPage = { events: FeedEvent[]; last: number; ended: boolean };

// Positions are given under the org's row lock, which lasts until commit: whoever sees one sees all before it.
// Only what is told, without payload and patch. On 1,000,000 events 500 rows take 0.5 ms from anywhere in the feed, and an
// empty look at its end 0.02 ms. The task is looked up behind a `case`, once for each private event: as a join it was
// looked up for all of them, and an `exists` was answered by hashing every task of the reader's (56 ms).
const FEED_PAGE = `
  select e.position::float8 as position, e.type, e.lifecycle, e.project_id, e.task_id, e.row_version::float8 as row_version,
    e.action, e.from_status, e.to_status, e.actor_id, e.created_at, e.private,
    case when e.private then (
      select array[t.created_by, t.assigned_to] from pawl.task t where t.org_id = e.org_id and t.id = e.task_id
    ) end as seers
  from pawl.event e
  where e.org_id = $1 and e.position > $2
  order by e.position
  limit $3`;

// The filter stands outside of the limit: inside, one that fits nothing walked the whole feed in one statement (0.9 s on
// 1,000,000 events, and more with every day). So many are walked, and the last of them comes along whether it fits or not,
// unless there are more than are wanted before it: 2,000 take 2 ms, and only few of them travel.
const FEED_PAGE_OF_FEW = `
  select w.position::float8 as position, w.type, w.lifecycle, w.project_id, w.task_id,
    w.row_version::float8 as row_version, w.action, w.from_status, w.to_status, w.actor_id, w.created_at, w.private,
    case when w.private then (
      select array[t.created_by, t.assigned_to] from pawl.task t where t.org_id = w.org_id and t.id = w.task_id
    ) end as seers, w.walked::float8 as walked
  from (
    select e.*, max(e.position) over () as last, count(*) over () as walked
    from (
      select e.org_id, e.position, e.type, e.lifecycle, e.project_id, e.task_id, e.row_version, e.action, e.from_status,
        e.to_status, e.actor_id, e.created_at, e.private
      from pawl.event e
      where e.org_id = $1 and e.position > $2
      order by e.position
      limit $3
    ) e
  ) w
  where w.position = w.last
    or (($4::text is null or w.lifecycle = $4) and ($5::text[] is null or w.project_id = any($5)))
  order by w.position
  limit $6`;

// In the order of its versions, which is that of its positions: by those the planner would walk the feed.
const FEED_PAGE_OF_TASK = `
  select e.position::float8 as position, e.type, e.lifecycle, e.project_id, e.task_id, e.row_version::float8 as row_version,
    e.action, e.from_status, e.to_status, e.actor_id, e.created_at, e.private,
    case when e.private then (
      select array[t.created_by, t.assigned_to] from pawl.task t where t.org_id = e.org_id and t.id = e.task_id
    ) end as seers
  from pawl.event e
  where e.org_id = $1 and e.task_id = $4 and e.position > $2
  order by e.row_version
  limit $3`;

/** How many events a page of few looks at for each that it may bring. */
const WALKED_FOR_ONE = 10;

type Row = Omit<FeedEvent, "created_by" | "assigned_to"> & {
  seers: (string | null)[] | null;
  walked?: number;
};

/** A page of the org's events in commit order. */
export async function readFeedPage(tx: Tx, org_id: string, walk: FeedWalk): Promise<FeedPage> {
  const { after, limit, task_id = null, lifecycle = null, projects = null } = walk;
  if (task_id !== null)
    return pageOf(walk, await query<Row>(tx, FEED_PAGE_OF_TASK, [org_id, after, limit, task_id]));
  if (lifecycle === null && projects === null)
    return pageOf(walk, await query<Row>(tx, FEED_PAGE, [org_id, after, limit]));
  const most = limit * WALKED_FOR_ONE;
  const rows = await query<Row>(tx, FEED_PAGE_OF_FEW, [org_id, after, most, lifecycle, projects, limit]);
  const page = pageOf(walk, rows);
  return { ...page, ended: page.ended && (rows[0]?.walked ?? 0) < most };
}

function pageOf({ after, limit }: FeedWalk, rows: readonly Row[]): FeedPage {
  return {
    // What is of no task has version 0, and is told by whoever knows what it is.
    events: rows.filter((row) => row.row_version > 0).map(eventOf),
    last: rows.at(-1)?.position ?? after,
    ended: rows.length < limit,
  };
}

function eventOf({ seers, walked: _, ...row }: Row): FeedEvent {
  const [created_by = null, assigned_to = null] = seers ?? [];
  return { ...row, created_by, assigned_to };
}
