import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Counts the sessions of all applications, since they share max_connections.
const READ_CONDITION = `
  select current_setting('server_version') as version,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    current_setting('max_connections')::int as most_connections,
    (select count(*) from pg_catalog.pg_stat_activity a where a.backend_type = 'client backend')::int as connections,
    (select coalesce(max(extract(epoch from clock_timestamp() - a.xact_start)), 0)
     from pg_catalog.pg_stat_activity a
     where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend')::float8
      as longest_transaction_seconds`;

export type ConditionRow = {
  version: string;
  now: number;
  most_connections: number;
  connections: number;
  longest_transaction_seconds: number;
};

/** Reads the version, clock, connections and longest transaction of the database server. */
export async function readCondition(tx: Tx): Promise<ConditionRow | undefined> {
  const [row] = await query<ConditionRow>(tx, READ_CONDITION, []);
  return row;
}

// Both counts read only unfinished tasks and open dependencies.
const COUNT_STUCK = `
  select
    (select count(*) from pawl.task t where not t.final and t.needs_attention)::int as need_attention,
    (select count(distinct (d.org_id, d.task_id))
     from pawl.task t join pawl.dependency d on d.org_id = t.org_id and d.task_id = t.id
     where not t.final and not d.resolved
       and not exists (select from pawl.task b where b.org_id = d.org_id and b.id = d.blocker_id))::int as wait_for_nothing`;

export type StuckRow = { need_attention: number; wait_for_nothing: number };

export async function countStuck(tx: Tx): Promise<StuckRow | undefined> {
  const [row] = await query<StuckRow>(tx, COUNT_STUCK, []);
  return row;
}

const COUNT_BY_ORG = `
  select o.id as org_id, (select count(*) from pawl.task t where t.org_id = o.id)::float8 as tasks
  from pawl.org o order by o.id`;

/** Counts the tasks of each org. */
export function countByOrg(tx: Tx): Promise<{ org_id: string; tasks: number }[]> {
  return query<{ org_id: string; tasks: number }>(tx, COUNT_BY_ORG, []);
}
