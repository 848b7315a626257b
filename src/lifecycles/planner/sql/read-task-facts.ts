import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Ended shifts count in the task's project only; a running shift counts in any project.
const READ_OWNERS_SHIFTS = `
  select o.task_id, s.any_ended, s.any_running, s.any_at_all
  from json_to_recordset($2::text::json) as o(task_id uuid, owner text, project_id text, assigned_at float8)
  cross join lateral (
    select coalesce(bool_or(s.project_id = o.project_id and s.ends_at <= statement_timestamp()
        and s.ends_at > to_timestamp(o.assigned_at / 1000.0)), false) as any_ended,
      coalesce(bool_or(s.starts_at <= statement_timestamp() and s.ends_at > statement_timestamp()), false) as any_running,
      coalesce(bool_or(s.project_id = o.project_id), false) as any_at_all
    from pawl.planner_shift_member p join pawl.planner_shift s on s.org_id = p.org_id and s.id = p.shift_id
    where p.org_id = $1 and p.member_id = o.owner
  ) as s`;

export type OwnersShifts = {
  task_id: string;
  /** Whether one has ended since the assignment. */
  any_ended: boolean;
  any_running: boolean;
  any_at_all: boolean;
};

export function readOwnersShifts(
  tx: Tx,
  org_id: string,
  owned: readonly { task_id: string; owner: string; project_id: string; assigned_at: number }[],
): Promise<OwnersShifts[]> {
  return owned.length === 0
    ? Promise.resolve([])
    : query(tx, READ_OWNERS_SHIFTS, [org_id, JSON.stringify(owned)]);
}

const READ_DEPENDENTS = `
  select d.blocker_id as task_id, t.id, t.title, t.project_id, t.private, t.readers, t.created_by, t.assigned_to
  from pawl.dependency d
  join pawl.task t on t.org_id = d.org_id and t.id = d.task_id
  where d.org_id = $1 and d.blocker_id = any($2::uuid[])
  union all
  select l.target, t.id, t.title, t.project_id, t.private, t.readers, t.created_by, t.assigned_to
  from pawl.planner_link l
  join pawl.task t on t.org_id = l.org_id and t.id = l.task_id
  where l.org_id = $1 and l.kind = 'parent' and l.target = any($2::uuid[])`;

export type Dependent = {
  task_id: string;
  id: string;
  title: string;
  project_id: string;
  private: boolean;
  created_by: string | null;
  assigned_to: string | null;
};

/** Reads the tasks that depend on these tasks or are parts of them. */
export function readDependents(tx: Tx, org_id: string, ids: readonly string[]): Promise<Dependent[]> {
  return query(tx, READ_DEPENDENTS, [org_id, ids]);
}

const READ_HISTORIES = `
  select t.id as task_id,
    exists (
      select from pawl.event e
      where e.org_id = $1 and e.task_id = t.id and e.patch ->> 'assigned_to' is not null) as owned,
    exists (select from pawl.planner_defect d where d.org_id = $1 and d.task_id = t.id) as has_defect,
    exists (
      select from pawl.planner_link l where l.org_id = $1 and l.kind = 'fix' and l.target = t.id) as has_fix,
    exists (select from pawl.planner_escalation e where e.org_id = $1 and e.task_id = t.id) as has_escalation
  from unnest($2::uuid[]) as t(id)`;

export type TaskHistory = {
  task_id: string;
  owned: boolean;
  has_defect: boolean;
  has_fix: boolean;
  has_escalation: boolean;
};

/** Reads whether tasks ever had an owner, and what was recorded about them. */
export function readHistories(tx: Tx, org_id: string, ids: readonly string[]): Promise<TaskHistory[]> {
  return query(tx, READ_HISTORIES, [org_id, ids]);
}

const FIND_ABOVE = `
  with recursive above as (
    select l.task_id as start, l.target from pawl.planner_link l
    where l.org_id = $1 and l.kind = 'parent' and l.task_id = any($2::uuid[])
    union
    select a.start, l.target from above a
    join pawl.planner_link l on l.org_id = $1 and l.kind = 'parent' and l.task_id = a.target
  )
  select a.start as task_id, a.target as above from above a`;

/** Finds all ancestors of tasks. */
export function findAbove(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<{ task_id: string; above: string }[]> {
  return ids.length === 0 ? Promise.resolve([]) : query(tx, FIND_ABOVE, [org_id, ids]);
}

// Locked until the commit, so that a task that is referred to is not deleted meanwhile.
const LOCK_TASKS_NAMED = `
  select t.id, t.project_id, t.title, t.status, t.priority, t.data ->> 'required_trade' as required_trade,
    t.data ->> 'deliverable_id' as deliverable_id
  from pawl.task t
  where t.org_id = $1 and t.id = any($2::uuid[]) and t.lifecycle = 'planner'
  order by t.id
  for share`;

export type NamedTask = {
  id: string;
  project_id: string;
  title: string;
  status: string;
  priority: number;
  required_trade: string | null;
  deliverable_id: string | null;
};

export async function lockNamedTasks(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, NamedTask>> {
  if (ids.length === 0) return new Map();
  const rows = await query<NamedTask>(tx, LOCK_TASKS_NAMED, [org_id, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}
