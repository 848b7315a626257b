import type { Lifecycle } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Only for the newest version: a node that still runs an older one must not undo its changes.
const PICK_OUTDATED = `
  select t.id from pawl.task t
  where t.org_id = $1 and t.lifecycle = $2 and not t.final
    and (t.status = any($4::text[]) or t.due_action = any($5::text[]))
    and not exists (select from pawl.lifecycle l where l.name = $2 and l.version > $3)
  order by t.id
  limit $6
  for update of t`;

/** Locks and returns an org's tasks whose status or timer action the lifecycle no longer has. */
export async function pickOutdated(
  tx: Tx,
  org_id: string,
  lifecycle: Lifecycle,
  limit: number,
): Promise<string[]> {
  const { statuses, actions } = outdatedNames(lifecycle);
  const params = [org_id, lifecycle.name, lifecycle.version, statuses, actions, limit];
  const rows = await query<{ id: string }>(tx, PICK_OUTDATED, params);
  return rows.map((row) => row.id);
}

const ORGS_WITH_OUTDATED = `
  select distinct t.org_id from pawl.task t
  where t.lifecycle = $1 and not t.final
    and (t.status = any($2::text[]) or t.due_action = any($3::text[]) or t.pooled <> (t.status is not distinct from $4::text))`;

/** Lists the orgs with outdated tasks of a lifecycle. */
export async function orgsWithOutdated(tx: Tx, lifecycle: Lifecycle): Promise<string[]> {
  const { statuses, actions } = outdatedNames(lifecycle);
  const params = [lifecycle.name, statuses, actions, lifecycle.pool?.from ?? null];
  const rows = await query<{ org_id: string }>(tx, ORGS_WITH_OUTDATED, params);
  return rows.map((row) => row.org_id);
}

// Whether a task is in the pool follows from its status, so the journal does not record it.
const REPAIR_POOL = `
  update pawl.task t set pooled = not t.pooled
  from (
    select s.id from pawl.task s
    where s.org_id = $1 and s.lifecycle = $2 and not s.final and s.pooled <> (s.status is not distinct from $4::text)
      and not exists (select from pawl.lifecycle l where l.name = $2 and l.version > $3)
    order by s.id
    limit $5
    for update skip locked
  ) as stale
  where t.org_id = $1 and t.id = stale.id
  returning t.id as task_id, t.pooled as "is"`;

/** Adds tasks to the pool, or removes them, as the lifecycle now declares. */
export function repairPool(
  tx: Tx,
  org_id: string,
  lifecycle: Lifecycle,
  limit: number,
): Promise<{ task_id: string; is: boolean }[]> {
  const { name, version, pool } = lifecycle;
  return query(tx, REPAIR_POOL, [org_id, name, version, pool?.from ?? null, limit]);
}

const SET_VERSION = `
  update pawl.task t set lifecycle_version = $3 where t.org_id = $1 and t.id = any($2::uuid[])`;

export async function setLifecycleVersion(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
  version: number,
): Promise<void> {
  await query(tx, SET_VERSION, [org_id, ids, version]);
}

/** Returns mapped statuses and actions, and final statuses: an unfinished task in one was written by an earlier version. */
function outdatedNames({ migrations, statuses }: Lifecycle): { statuses: string[]; actions: string[] } {
  const ended = Object.keys(statuses).filter((status) => statuses[status]?.final);
  return {
    statuses: [...Object.keys(migrations.statuses), ...ended],
    actions: Object.keys(migrations.actions),
  };
}
