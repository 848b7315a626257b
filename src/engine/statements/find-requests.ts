import { query } from "../transaction.ts";
import type { Runs } from "../transaction.ts";

const FIND_REQUESTS = `
  select r.client_event_id, r.actor_id, encode(r.fingerprint, 'hex') as fingerprint, r.answer from pawl.request r
  where r.org_id = $1 and r.client_event_id = any($2::text[])`;

export type RequestRow = {
  client_event_id: string;
  actor_id: string | null;
  /** Empty for requests from before fingerprints were made over what a request means. */
  fingerprint: string;
  answer: unknown;
};

/** What these client_event_ids were used for before. */
export function findRequests(tx: Runs, org_id: string, keys: readonly string[]): Promise<RequestRow[]> {
  return keys.length === 0 ? Promise.resolve([]) : query<RequestRow>(tx, FIND_REQUESTS, [org_id, keys]);
}
