import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Only the worker that holds the lease appends output, one chunk after the other; for other callers `held` is empty.
const SAVE_OUTPUT = `
  with held as (
    select t.id from pawl.task t
    where t.org_id = $1 and t.id = $2 and t.lease_token = $3::uuid and t.lease_holder = $4 and t.lifecycle = 'code'
  ), said as (
    select coalesce(sum(octet_length(o.said)) filter (where o.run = $5), 0) as bytes, coalesce(max(o.seq), 0) as last
    from pawl.code_output o where o.org_id = $1 and o.task_id = $2
  ), kept as (
    insert into pawl.code_output (org_id, task_id, seq, run, said)
    select $1, held.id, said.last + 1, $5, $6 from held cross join said where said.bytes < $7
    returning seq
  )
  select exists (select from held) as held, exists (select from kept) as kept`;

export type OutputChunk = { task_id: string; lease_token: string; holder: string; run: number; text: string };

/** Saves a chunk of output if the caller holds the lease and the attempt is below its limit. */
export async function saveOutput(
  tx: Tx,
  org_id: string,
  { task_id, lease_token, holder, run, text }: OutputChunk,
  maxBytes: number,
): Promise<{ held: boolean; kept: boolean }> {
  const params = [org_id, task_id, lease_token, holder, run, text, maxBytes];
  const [row] = await query<{ held: boolean; kept: boolean }>(tx, SAVE_OUTPUT, params);
  return row ?? { held: false, kept: false };
}

const READ_OUTPUT = `
  select o.seq::integer as seq, o.run, o.said, o.created_at from pawl.code_output o
  where o.org_id = $1 and o.task_id = $2 and o.seq > $3 and ($4::integer is null or o.run = $4)
  order by o.seq
  limit $5`;

export type OutputRow = { seq: number; run: number; said: string; created_at: number };

/** Reads output after a position, in order. */
export function readOutput(
  tx: Tx,
  org_id: string,
  { task_id, after, run, limit }: { task_id: string; after: number; run: number | null; limit: number },
): Promise<OutputRow[]> {
  return query<OutputRow>(tx, READ_OUTPUT, [org_id, task_id, after, run, limit]);
}

const READ_LAST_OUTPUT = `
  select distinct on (t.id) t.id as task_id, tail.said from unnest($2::uuid[]) as t(id)
  cross join lateral (
    select o.said from pawl.code_output o where o.org_id = $1 and o.task_id = t.id order by o.seq desc limit 1
  ) as tail`;

/** Reads the last chunk of each task's output. */
export async function readLastOutput(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ task_id: string; said: string }>(tx, READ_LAST_OUTPUT, [org_id, ids]);
  return new Map(rows.map(({ task_id, said }) => [task_id, said]));
}

const READ_LOG_TAIL = `
  select o.said from pawl.code_output o
  where o.org_id = $1 and o.task_id = $2
    and o.run = (select max(l.run) from pawl.code_output l where l.org_id = $1 and l.task_id = $2)
  order by o.seq desc
  limit 20`;

/** Reads the end of the last attempt's output. */
export async function readLogTail(tx: Tx, org_id: string, task_id: string): Promise<string> {
  const rows = await query<{ said: string }>(tx, READ_LOG_TAIL, [org_id, task_id]);
  return rows
    .reverse()
    .map(({ said }) => said)
    .join("");
}

const DELETE_OUTPUT = `delete from pawl.code_output o where o.org_id = $1 and o.task_id = any($2::uuid[])`;

/** Deletes the output of deleted tasks. */
export async function deleteOutput(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  await query(tx, DELETE_OUTPUT, [org_id, ids]);
}
