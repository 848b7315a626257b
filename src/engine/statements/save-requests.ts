import { asRows, post } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const SAVE_REQUESTS = `
  insert into pawl.request (org_id, client_event_id, actor_id, fingerprint, answer, created_at)
  select $1, r.client_event_id, r.actor_id, decode(r.fingerprint, 'hex'), r.answer, to_timestamp($3 / 1000.0)
  from json_to_recordset($2::text::json) as r(client_event_id text, actor_id text, fingerprint text, answer jsonb)`;

export type NewRequest = {
  client_event_id: string;
  actor_id: string | null;
  fingerprint: string;
  answer: unknown;
};

/** Writes down what keys were used for, in the transaction of what they name. */
export function saveRequests(tx: Tx, org_id: string, requests: readonly NewRequest[], now: number): void {
  if (requests.length > 0) post(tx, SAVE_REQUESTS, [org_id, asRows(requests), now]);
}
