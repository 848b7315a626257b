import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Uses the index of unfinished tasks; the finished ones, perhaps millions, are not read.
const COUNT_UNFINISHED = `
  select t.lifecycle, t.status, count(*)::float8 as tasks,
    count(*) filter (where t.needs_attention)::float8 as attention
  from pawl.task t where not t.final
  group by t.lifecycle, t.status`;

export type UnfinishedRow = { lifecycle: string; status: string; tasks: number; attention: number };

export function countUnfinished(tx: Tx): Promise<UnfinishedRow[]> {
  return query<UnfinishedRow>(tx, COUNT_UNFINISHED, []);
}

// Tasks that could be claimed now; reads as many rows as the pools have. A returned task waits since it was returned.
const COUNT_WAITING = `
  select t.lifecycle, count(*)::float8 as tasks,
    extract(epoch from clock_timestamp() - min(greatest(t.entered_at, t.available_at)))::float8 as oldest_seconds
  from pawl.task t
  where t.pooled and (t.available_at is null or t.available_at <= clock_timestamp())
  group by t.lifecycle`;

export type WaitingRow = { lifecycle: string; tasks: number; oldest_seconds: number };

export function countWaiting(tx: Tx): Promise<WaitingRow[]> {
  return query<WaitingRow>(tx, COUNT_WAITING, []);
}

// One probe of the timer index for each org, whose first entry has been due longest. It uses statement_timestamp(), because
// an index cannot be searched by a volatile function such as clock_timestamp(), and all timers would be read.
const READ_SWEEP_LAG = `
  select coalesce(max(extract(epoch from statement_timestamp() - due.due_at)), 0)::float8 as seconds
  from pawl.org o cross join lateral (
    select t.due_at from pawl.task t
    where t.org_id = o.id and t.due_at <= statement_timestamp()
    order by t.due_at limit 1) as due`;

/** Returns how long the oldest due timer has been waiting for a sweep. */
export async function readSweepLag(tx: Tx): Promise<number> {
  const [row] = await query<{ seconds: number }>(tx, READ_SWEEP_LAG, []);
  return row?.seconds ?? 0;
}

// Reads the inbox only, which is short unless refused requests are kept.
const COUNT_INBOX = `
  select count(*) filter (where i.refused_at is null)::float8 as waiting,
    count(*) filter (where i.refused_at is not null)::float8 as refused,
    coalesce(extract(epoch from clock_timestamp() - min(i.created_at) filter (where i.refused_at is null)), 0)::float8
      as oldest_seconds
  from pawl.inbox i`;

export type InboxFigures = { waiting: number; refused: number; oldest_seconds: number };

export async function readInboxFigures(tx: Tx): Promise<InboxFigures> {
  const [row] = await query<InboxFigures>(tx, COUNT_INBOX, []);
  return row ?? { waiting: 0, refused: 0, oldest_seconds: 0 };
}

// Includes connections of all nodes and tools of Pawl to this database.
const COUNT_CONNECTIONS = `
  select coalesce(a.state, 'unknown') as state, count(*)::float8 as connections
  from pg_catalog.pg_stat_activity a
  where a.datname = current_database() and a.application_name like 'pawl%'
  group by 1`;

export type ConnectionRow = { state: string; connections: number };

export function countConnections(tx: Tx): Promise<ConnectionRow[]> {
  return query<ConnectionRow>(tx, COUNT_CONNECTIONS, []);
}
