import { asRows } from "../transaction.ts";
import { statement } from "./statement.ts";
import type { Write } from "./statement.ts";

const INSERT_REQUESTS = `
  insert into pawl.request (org_id, client_event_id, actor_id, fingerprint, answer, task_id, created_at)
  select :org_id, r.client_event_id, r.actor_id, decode(r.fingerprint, 'hex'), r.answer, r.task_id,
    to_timestamp(:now / 1000.0)
  from json_to_recordset(:rows::text::json)
    as r(client_event_id text, actor_id text, fingerprint text, answer json, task_id uuid)`;

const SAVE_REQUESTS = statement(INSERT_REQUESTS);

const SAVE_MISSING_REQUESTS = statement(`${INSERT_REQUESTS}
  on conflict (org_id, client_event_id) do nothing`);

export type NewRequest = {
  client_event_id: string;
  actor_id: string | null;
  fingerprint: string;
  answer: unknown;
  /** The task of the request, if no journal row has its key. */
  task_id: string | null;
};

/** Saves idempotency records, in the same transaction as the changes they describe. */
export function saveRequests(org_id: string, rows: readonly NewRequest[], now: number): Write {
  return SAVE_REQUESTS({ org_id, rows: asRows(rows), now });
}

/** Saves the idempotency records that do not exist yet. */
export function saveMissingRequests(org_id: string, rows: readonly NewRequest[], now: number): Write {
  return SAVE_MISSING_REQUESTS({ org_id, rows: asRows(rows), now });
}
