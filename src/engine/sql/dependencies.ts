import { asRows, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { RowsBusy } from "../write/rows-busy.ts";
import { findExisting } from "./lock-tasks.ts";
import type { Write } from "./statement.ts";

// Blockers are locked before their status is read. A blocker that finishes at the same time either finds the new dependency,
// because its move is not written once the row has changed, or is finished when we read it. The lock is that of an update,
// since `awaited` is set.
const LOCK_BLOCKERS = `
  select t.id, t.project_id, t.lifecycle, t.status, t.title, t.private, t.readers, t.created_by, t.assigned_to,
    t.final from pawl.task t
  where t.org_id = $1 and t.id = any($2::uuid[])
  order by t.id
  for no key update skip locked`;

export type BlockerRow = {
  id: string;
  project_id: string;
  lifecycle: string;
  status: string;
  title: string;
  private: boolean;
  readers: string[] | null;
  created_by: string | null;
  assigned_to: string | null;
  final: boolean;
};

/** Locks tasks that others will wait for; throws RowsBusy if another transaction has locked one. */
export async function lockBlockers(tx: Tx, org_id: string, ids: readonly string[]): Promise<BlockerRow[]> {
  if (ids.length === 0) return [];
  const rows = await query<BlockerRow>(tx, LOCK_BLOCKERS, [org_id, ids]);
  const locked = new Set(rows.map(({ id }) => id));
  const left = ids.filter((id) => !locked.has(id));
  if (left.length > 0 && (await findExisting(tx, org_id, left)).length > 0) throw new RowsBusy();
  return rows;
}

const SAVE_DEPENDENCIES = `
  with saved as (
    insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
    select $1, d.task_id, d.blocker_id, d.on_failure, d.resolved
    from json_to_recordset($2::text::json) as d(task_id uuid, blocker_id uuid, on_failure text, resolved boolean)
  )
  update pawl.task t set awaited = true where t.org_id = $1 and t.id = any($3::uuid[]) and not t.awaited`;

export type OnFailure = "wait" | "proceed" | "fail";
export type NewDependency = { task_id: string; blocker_id: string; on_failure: OnFailure; resolved: boolean };

/** Saves dependencies and marks their blockers. */
export function saveDependencies(org_id: string, rows: readonly NewDependency[]): Write {
  const blockers = rows.filter(({ resolved }) => !resolved).map(({ blocker_id }) => blocker_id);
  return { text: SAVE_DEPENDENCIES, params: [org_id, asRows(rows), [...new Set(blockers)]] };
}

const FIND_DEPENDENTS = `
  select d.task_id, d.blocker_id, d.on_failure from pawl.dependency d
  where d.org_id = $1 and d.blocker_id = any($2::uuid[]) and not d.resolved
  order by d.task_id`;

/** Finds the tasks that wait for these. */
export function findDependents(
  tx: Tx,
  org_id: string,
  blockers: readonly string[],
): Promise<{ task_id: string; blocker_id: string; on_failure: OnFailure }[]> {
  return query(tx, FIND_DEPENDENTS, [org_id, blockers]);
}

const RESOLVE_DEPENDENCIES = `
  update pawl.dependency d set resolved = true
  from unnest($2::uuid[], $3::uuid[]) as r(task_id, blocker_id)
  where d.org_id = $1 and d.task_id = any($2::uuid[]) and d.task_id = r.task_id and d.blocker_id = r.blocker_id`;

export function resolveDependencies(
  org_id: string,
  edges: readonly { task_id: string; blocker_id: string }[],
): Write {
  const tasks = edges.map((edge) => edge.task_id);
  const blockers = edges.map((edge) => edge.blocker_id);
  return { text: RESOLVE_DEPENDENCIES, params: [org_id, tasks, blockers] };
}

const READ_BLOCKERS = `
  select d.task_id, b.id, b.project_id, b.title, b.status, b.final, b.private, b.readers, b.created_by, b.assigned_to
  from pawl.dependency d
  join pawl.task b on b.org_id = d.org_id and b.id = d.blocker_id
  where d.org_id = $1 and d.task_id = any($2::uuid[]) and not d.resolved
  order by d.task_id, b.id`;

export type OpenBlocker = Omit<BlockerRow, "lifecycle"> & { task_id: string };

/** Reads the open blockers of tasks: the fact `blockers`. */
export function readBlockers(tx: Tx, org_id: string, tasks: readonly string[]): Promise<OpenBlocker[]> {
  return tasks.length === 0 ? Promise.resolve([]) : query(tx, READ_BLOCKERS, [org_id, tasks]);
}

const REMOVE_DEPENDENCIES = `
  delete from pawl.dependency d using unnest($2::uuid[], $3::uuid[]) as r(task_id, blocker_id)
  where d.org_id = $1 and d.task_id = r.task_id and d.blocker_id = r.blocker_id`;

export async function removeDependencies(
  tx: Tx,
  org_id: string,
  edges: readonly { task_id: string; blocker_id: string }[],
): Promise<void> {
  const tasks = edges.map((edge) => edge.task_id);
  const blockers = edges.map((edge) => edge.blocker_id);
  await query(tx, REMOVE_DEPENDENCIES, [org_id, tasks, blockers]);
}
