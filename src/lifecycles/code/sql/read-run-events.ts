import type { JsonObject } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const READ_RUN_EVENTS = `
  select e.row_version::integer as row_version, e.action, e.to_status, e.actor_id, e.payload, e.created_at
  from pawl.event e
  where e.org_id = $1 and e.task_id = $2
    and e.action in ('start', 'complete', 'retry', 'fail', 'block', 'lease_lost', 'interrupt', 'request_review')
  order by e.row_version desc
  limit 1000`;

export type RunEvent = {
  row_version: number;
  action: string;
  to_status: string;
  actor_id: string | null;
  payload: JsonObject | null;
  created_at: number;
};

/** Reads the events that started and ended a task's attempts, oldest first. */
export async function readRunEvents(tx: Tx, org_id: string, task_id: string): Promise<RunEvent[]> {
  return (await query<RunEvent>(tx, READ_RUN_EVENTS, [org_id, task_id])).reverse();
}
