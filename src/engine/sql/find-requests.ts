import { query } from "../transaction.ts";
import type { Queryable, Tx } from "../transaction.ts";

const FIND_REQUESTS = `
  select r.client_event_id, r.actor_id, encode(r.fingerprint, 'hex') as fingerprint, r.answer from pawl.request r
  where r.org_id = $1 and r.client_event_id = any($2::text[])`;

export type RequestRow = {
  client_event_id: string;
  actor_id: string | null;
  fingerprint: string;
  answer: unknown;
};

/** Finds the earlier requests with these client_event_ids. */
export function findRequests(tx: Queryable, org_id: string, keys: readonly string[]): Promise<RequestRow[]> {
  return keys.length === 0 ? Promise.resolve([]) : query<RequestRow>(tx, FIND_REQUESTS, [org_id, keys]);
}

const FIND_SHARED_REQUESTS = `
  select r.client_event_id, r.actor_id, encode(r.fingerprint, 'hex') as fingerprint, r.answer from pawl.request r
  where r.org_id = $1
    and r.client_event_id = any(array(
      select e.client_event_id from pawl.event e where e.org_id = $1 and e.task_id = any($2::uuid[])))
    and r.answer -> 'at' -> 1 is not null`;

/** Finds the requests about these tasks whose answers contain several tasks. */
export function findSharedRequests(tx: Tx, org_id: string, ids: readonly string[]): Promise<RequestRow[]> {
  return query<RequestRow>(tx, FIND_SHARED_REQUESTS, [org_id, ids]);
}

const CHANGE_ANSWER = `
  update pawl.request r set answer = $3::text::json where r.org_id = $1 and r.client_event_id = $2`;

export async function changeAnswer(
  tx: Tx,
  org_id: string,
  client_event_id: string,
  answer: object,
): Promise<void> {
  await query(tx, CHANGE_ANSWER, [org_id, client_event_id, JSON.stringify(answer)]);
}
