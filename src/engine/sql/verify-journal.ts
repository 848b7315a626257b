import type { JsonObject } from "../../core/index.ts";
import type { TaskRow } from "../task-row.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const PICK_TASKS = `
  select t.*, encode(t.journal_hash, 'hex') as journal_seal from pawl.task t
  where t.org_id = $1 and ($2::uuid is null or t.id > $2)
  order by t.id
  limit $3`;

export type SealedTaskRow = TaskRow & { journal_seal: string };

/** Picks the next tasks in the order of ids, with the seals of their journals. */
export function pickTasksToVerify(
  tx: Tx,
  org_id: string,
  after: string | null,
  limit: number,
): Promise<SealedTaskRow[]> {
  return query<SealedTaskRow>(tx, PICK_TASKS, [org_id, after, limit]);
}

const CHECK_SEALS = `
  select e.task_id, e.row_version::int as row_version, e.patch, e.to_status, encode(e.hash, 'hex') as seal,
    e.hash = pawl.seal(coalesce(lag(e.hash) over (partition by e.task_id order by e.row_version), ''::bytea),
      e.task_id, e.row_version, e.created_at,
      json_build_array(e.type, e.action, e.from_status, e.to_status, e.actor_id)::text,
      e.comment, e.payload::text, e.patch::text) as sealed
  from pawl.event e
  where e.org_id = $1 and e.task_id = any($2::uuid[])
  order by e.task_id, e.row_version`;

export type SealedEvent = {
  task_id: string;
  row_version: number;
  patch: JsonObject;
  to_status: string | null;
  seal: string;
  sealed: boolean;
};

/** Reads the journals of tasks; each row has a flag whether its seal matches the row and the row before it. */
export function checkSeals(tx: Tx, org_id: string, ids: readonly string[]): Promise<SealedEvent[]> {
  return query<SealedEvent>(tx, CHECK_SEALS, [org_id, ids]);
}
