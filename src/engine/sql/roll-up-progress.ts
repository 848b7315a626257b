import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { READERS_CHANGED } from "./read-feed-page.ts";

const ORGS_TO_ROLL_UP = `
  select o.id from pawl.org o
  left join pawl.insight_progress p on p.org_id = o.id
  where o.feed_position > coalesce(p.position, 0)
    and not exists (select from pawl.demo d where d.org_id = o.id and d.state = 'removing')`;

/** Lists the orgs with events that are not in their figures yet. */
export async function orgsToRollUp(tx: Tx): Promise<string[]> {
  return (await query<{ id: string }>(tx, ORGS_TO_ROLL_UP, [])).map(({ id }) => id);
}

// Locks the org's row, so that a demo that is being removed does not leave this row behind.
const BEGIN_PROGRESS = `
  insert into pawl.insight_progress (org_id, position)
  select o.id, 0 from pawl.org o where o.id = $1 for key share
  on conflict do nothing`;

const HAS_PROGRESS = `select from pawl.insight_progress p where p.org_id = $1`;

const LOCK_PROGRESS = `
  select p.position::float8 as position from pawl.insight_progress p where p.org_id = $1 for update skip locked`;

/** Whether any node has begun to count the org's events. */
export async function hasFigures(tx: Tx, org_id: string): Promise<boolean> {
  return (await query(tx, HAS_PROGRESS, [org_id])).length > 0;
}

/** Locks an org's figures and returns their position; null if another node is adding to them. */
export async function lockProgress(tx: Tx, org_id: string): Promise<number | null> {
  if (!(await hasFigures(tx, org_id))) await query(tx, BEGIN_PROGRESS, [org_id]);
  const [row] = await query<{ position: number }>(tx, LOCK_PROGRESS, [org_id]);
  return row?.position ?? null;
}

// One snapshot: positions are assigned under the org's lock, so no event up to the feed's position can appear later.
const READ_RANGE = `
  select coalesce(max(e.position), min(o.feed_position))::float8 as until, count(e.position)::float8 as events,
    max(e.created_at) as counted_until, coalesce(bool_or(e.row_version = 0 and e.type = $4), false) as restricts
  from pawl.org o
  left join lateral (
    select r.position, r.created_at, r.row_version, r.type from pawl.event r
    where r.org_id = $1 and r.position > $2
    order by r.position
    limit $3
  ) as e on true
  where o.id = $1`;

/** The next events of the feed: up to which position, how many, the latest time, and whether the readers of tasks change. */
export type Range = { until: number; events: number; counted_until: Instant | null; restricts: boolean };

export async function readRange(
  tx: Tx,
  org_id: string,
  { after, limit }: { after: number; limit: number },
): Promise<Range> {
  const [row] = await query<Range>(tx, READ_RANGE, [org_id, after, limit, READERS_CHANGED]);
  return row ?? { until: after, events: 0, counted_until: null, restricts: false };
}

const SAVE_PROGRESS = `
  update pawl.insight_progress p
  set position = $2, counted_until = greatest(p.counted_until, to_timestamp($3::float8 / 1000.0))
  where p.org_id = $1`;

export async function saveProgress(tx: Tx, org_id: string, range: Range): Promise<void> {
  await query(tx, SAVE_PROGRESS, [org_id, range.until, range.counted_until]);
}

// A new task's readers are part of it, so only those of older tasks are announced in the feed.
const HIDE_NEW_TASKS = `
  insert into pawl.insight_hidden (org_id, task_id)
  select e.org_id, e.task_id from pawl.event e
  where e.org_id = $1 and e.position > $2 and e.position <= $3 and e.row_version = 1
    and exists (
      select from pawl.task t where t.org_id = e.org_id and t.id = e.task_id and t.readers is not null offset 0)
  on conflict do nothing`;

/** Leaves out the new tasks that have readers. */
export async function hideNewTasks(tx: Tx, org_id: string, after: number, until: number): Promise<void> {
  await query(tx, HIDE_NEW_TASKS, [org_id, after, until]);
}

const HIDE_RESTRICTED = `
  insert into pawl.insight_hidden (org_id, task_id)
  select t.org_id, t.id from pawl.task t
  where t.org_id = $1 and t.readers is not null
    and not exists (select from pawl.insight_hidden h where h.org_id = t.org_id and h.task_id = t.id)
  limit $2
  returning task_id`;

/** Hides tasks that have got readers, and returns them. */
export async function hideRestricted(tx: Tx, org_id: string, limit: number): Promise<string[]> {
  return (await query<{ task_id: string }>(tx, HIDE_RESTRICTED, [org_id, limit])).map((row) => row.task_id);
}

const SHOW_UNRESTRICTED = `
  delete from pawl.insight_hidden h
  where h.org_id = $1 and h.task_id = any(array(
    select s.task_id from pawl.insight_hidden s
    join pawl.task t on t.org_id = s.org_id and t.id = s.task_id and t.readers is null
    where s.org_id = $1
    limit $2))
  returning h.task_id`;

/** Shows hidden tasks that have no readers any more, and returns them. A task that no longer exists stays hidden. */
export async function showUnrestricted(tx: Tx, org_id: string, limit: number): Promise<string[]> {
  return (await query<{ task_id: string }>(tx, SHOW_UNRESTRICTED, [org_id, limit])).map((row) => row.task_id);
}
