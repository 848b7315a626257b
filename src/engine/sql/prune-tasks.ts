import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

/** A finished task at the version that was read; if it has changed since, it is left for the next run. */
export type Finished = { id: string; row_version: number; lifecycle: string };

// Tasks with events that are not in the org's figures yet are kept, so that figures about the past do not change. An org without
// a row of progress has no figures.
const IS_COUNTED = `
  not exists (
    select from pawl.event e
    where e.org_id = $1 and e.task_id = t.id
      and e.position > (select p.position from pawl.insight_progress p where p.org_id = $1))`;

// There is no index for finished tasks. Ids are ordered by age, so the primary key excludes those that are too young ($3).
const PICK_FINISHED = `
  select t.id, t.row_version, t.lifecycle from pawl.task t
  where t.org_id = $1 and t.id > $2::uuid and t.id < $3::uuid
    and t.final and t.updated_at < to_timestamp($4::float8 / 1000.0)
    and not exists (
      select from pawl.dependency d join pawl.task w on w.org_id = d.org_id and w.id = d.task_id
      where d.org_id = $1 and d.blocker_id = t.id and not d.resolved and not w.final)
    and ${IS_COUNTED}
  order by t.id
  limit $5`;

/** Picks the next finished tasks that have not changed since a time and that no unfinished task waits for. */
export function pickFinished(
  tx: Tx,
  org_id: string,
  { after, below, before, limit }: { after: string; below: string; before: Instant; limit: number },
): Promise<Finished[]> {
  return query<Finished>(tx, PICK_FINISHED, [org_id, after, below, before, limit]);
}

const READ_EXPORTS = `
  select t.id, t.row_version, t.lifecycle, jsonb_build_object(
    'task', to_jsonb(t),
    'journal', (select jsonb_agg(to_jsonb(e) order by e.row_version) from pawl.event e
                where e.org_id = $1 and e.task_id = t.id),
    'dependencies', (select coalesce(jsonb_agg(to_jsonb(d) order by d.blocker_id), '[]') from pawl.dependency d
                     where d.org_id = $1 and d.task_id = t.id),
    'holds', (select coalesce(jsonb_agg(to_jsonb(h) order by h.id), '[]') from pawl.hold h
              where h.org_id = $1 and h.task_id = t.id))::text as line
  from pawl.task t
  where t.org_id = $1 and t.id = any($2::uuid[]) and t.final
  order by t.id`;

/** Exports tasks with everything that is deleted with them, each as one line of JSON. */
export function readExports(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<(Finished & { line: string })[]> {
  return query(tx, READ_EXPORTS, [org_id, ids]);
}

// Skips tasks that another transaction has locked, perhaps to add a dependency on them.
const LOCK_FINISHED = `
  select t.id from pawl.task t
  join unnest($2::uuid[], $3::integer[]) as seen(id, row_version) on t.id = seen.id and t.row_version = seen.row_version
  where t.org_id = $1 and t.final
    and ${IS_COUNTED}
  order by t.id
  for update of t skip locked`;

export async function lockFinished(tx: Tx, org_id: string, tasks: readonly Finished[]): Promise<string[]> {
  const ids = tasks.map((task) => task.id);
  const versions = tasks.map((task) => task.row_version);
  const rows = await query<{ id: string }>(tx, LOCK_FINISHED, [org_id, ids, versions]);
  return rows.map((row) => row.id);
}

// Checks again under the lock, since a dependency may have been added after the task was picked.
const DELETE_TASKS = `
  delete from pawl.task t
  where t.org_id = $1 and t.id = any($2::uuid[])
    and not exists (
      select from pawl.dependency d join pawl.task w on w.org_id = d.org_id and w.id = d.task_id
      where d.org_id = $1 and d.blocker_id = t.id and not d.resolved and not w.final)
  returning t.id`;

/** Deletes locked tasks, except those that an unfinished task waits for. */
export async function deleteTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: string }>(tx, DELETE_TASKS, [org_id, ids]);
  return rows.map((row) => row.id);
}

// Runs after the tasks are deleted, since a trigger protects the journal of an existing task. A dependency is deleted with the
// task that waits.
const DELETE_BELONGINGS = `
  with events as (
    delete from pawl.event e where e.org_id = $1 and e.task_id = any($2::uuid[]) returning e.client_event_id
  ), dependencies as (
    delete from pawl.dependency d where d.org_id = $1 and d.task_id = any($2::uuid[])
  ), holds as (
    delete from pawl.hold h where h.org_id = $1 and h.task_id = any($2::uuid[])
  ), heartbeats as (
    delete from pawl.heartbeat b where b.org_id = $1 and b.task_id = any($2::uuid[])
  ), hidden as (
    delete from pawl.insight_hidden i where i.org_id = $1 and i.task_id = any($2::uuid[])
  )
  select distinct client_event_id from events where client_event_id is not null`;

/** Deletes the rows that belong to deleted tasks; returns the client_event_ids of their journals. */
export async function deleteBelongings(tx: Tx, org_id: string, ids: readonly string[]): Promise<string[]> {
  const rows = await query<{ client_event_id: string }>(tx, DELETE_BELONGINGS, [org_id, ids]);
  return rows.map((row) => row.client_event_id);
}

// A request that created or claimed several tasks is deleted with the last of them, since it may be repeated until then.
const DELETE_REQUESTS = `
  delete from pawl.request r
  where r.org_id = $1 and r.client_event_id = any($2::text[])
    and not exists (
      select from (
        select jsonb_path_query(r.answer::jsonb, '$.at.id') union all
        select jsonb_path_query(r.answer::jsonb, '$.task.id') union all
        select jsonb_path_query(r.answer::jsonb, '$.tasks[*].id') union all
        select jsonb_path_query(r.answer::jsonb, '$.tasks[*].task.id')
      ) as named(id)
      join pawl.task t on t.org_id = $1 and t.id = (named.id #>> '{}')::uuid)`;

export async function deleteRequests(tx: Tx, org_id: string, keys: readonly string[]): Promise<void> {
  await query(tx, DELETE_REQUESTS, [org_id, keys]);
}

const DELETE_EVENTLESS_REQUESTS = `
  delete from pawl.request r
  where r.org_id = $1 and r.task_id = any($2::uuid[])`;

/** Deletes the requests about these tasks that have no journal row. */
export async function deleteEventlessRequests(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  await query(tx, DELETE_EVENTLESS_REQUESTS, [org_id, ids]);
}
