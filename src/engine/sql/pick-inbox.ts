import type { Instant, JsonObject, Refusal } from "../../core/index.ts";
import { asRows, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { statement } from "./statement.ts";
import type { Write } from "./statement.ts";

/** The requests of one org for one lifecycle. */
export type InboxGroup = { org_id: string; lifecycle: string };

// Jumps from group to group in the index: the cost grows with the number of groups, not of requests. A lifecycle that is
// registered but not served by this node is left to the nodes that serve it; one that is not registered is refused.
const LIST_INBOX_GROUPS = `
  with recursive waiting as (
    (select i.org_id, i.lifecycle from pawl.inbox i
     where i.refused_at is null order by i.org_id, i.lifecycle limit 1)
    union all
    select next.org_id, next.lifecycle
    from waiting w cross join lateral (
      select i.org_id, i.lifecycle from pawl.inbox i
      where i.refused_at is null and (i.org_id, i.lifecycle) > (w.org_id, w.lifecycle)
      order by i.org_id, i.lifecycle limit 1) as next
  )
  select w.org_id, w.lifecycle from waiting w
  where (w.lifecycle = any($1::text[]) or not exists (select from pawl.lifecycle l where l.name = w.lifecycle))
    and exists (
      select from pawl.inbox i
      where i.org_id = w.org_id and i.lifecycle = w.lifecycle and i.refused_at is null
        and i.due_at <= statement_timestamp())`;

/** Lists the groups with due requests that this node can decide. */
export function listInboxGroups(tx: Tx, served: readonly string[]): Promise<InboxGroup[]> {
  return query<InboxGroup>(tx, LIST_INBOX_GROUPS, [served]);
}

/** A request that is about to be decided. */
export type InboxRequest = {
  id: string;
  lifecycle: string;
  input: JsonObject;
  key: string;
  member_id: string;
  attempts: number;
};

const MAX_BATCH_BYTES = 4_194_304;

// Skips requests that another node has locked. Reads inputs only up to the limit, but always the first.
const PICK_INBOX = `
  with picked as materialized (
    select i.id, i.due_at, i.input_bytes from pawl.inbox i
    where i.org_id = $1 and i.lifecycle = $2 and i.refused_at is null and i.due_at <= statement_timestamp()
    order by i.due_at, i.id
    limit $3
    for update of i skip locked
  ), counted as (
    select p.id, p.due_at, sum(p.input_bytes) over (order by p.due_at, p.id) - p.input_bytes as before from picked p
  )
  select i.id, i.lifecycle, i.input, i.key, i.member_id, i.attempts
  from counted c join pawl.inbox i on i.org_id = $1 and i.id = c.id
  where c.before < $4
  order by c.due_at, c.id`;

/** Locks and returns the due requests of a group, oldest first. */
export function pickInbox(
  tx: Tx,
  { org_id, lifecycle }: InboxGroup,
  { limit }: { limit: number },
): Promise<InboxRequest[]> {
  return query<InboxRequest>(tx, PICK_INBOX, [org_id, lifecycle, limit, MAX_BATCH_BYTES]);
}

const PICK_CHOSEN = `
  select i.id, i.lifecycle, i.input, i.key, i.member_id, i.attempts
  from pawl.inbox i
  where i.org_id = $1 and i.id = any($2::uuid[]) and i.refused_at is null
  order by i.due_at, i.id
  for update of i skip locked`;

/** Locks and returns the given requests as far as they are not refused. */
export function pickChosen(tx: Tx, org_id: string, ids: readonly string[]): Promise<InboxRequest[]> {
  return query<InboxRequest>(tx, PICK_CHOSEN, [org_id, ids]);
}

const REMOVE_FROM_INBOX = statement(`
  delete from pawl.inbox i where i.org_id = :org_id and i.id = any(:ids::uuid[])`);

/** Removes requests whose tasks are created in the same transaction. */
export function removeFromInbox(org_id: string, ids: readonly string[]): Write {
  return REMOVE_FROM_INBOX({ org_id, ids });
}

const REFUSE_IN_INBOX = statement(`
  update pawl.inbox i set refused_at = statement_timestamp(), refusal = r.refusal, failure = null
  from json_to_recordset(:rows::text::json) as r(id uuid, refusal jsonb)
  where i.org_id = :org_id and i.id = r.id`);

/** Keeps requests with their refusals. */
export function refuseInInbox(
  org_id: string,
  rows: readonly { id: string; refusal: Pick<Refusal, "code" | "detail" | "params"> }[],
): Write {
  return REFUSE_IN_INBOX({ org_id, rows: asRows(rows) });
}

const PUT_OFF_IN_INBOX = statement(`
  update pawl.inbox i
  set due_at = statement_timestamp() + :delay::float8 * interval '1 ms', attempts = :attempts, failure = :failure
  where i.org_id = :org_id and i.id = :id and i.refused_at is null`);

/** Moves the next attempt of a request. */
export function putOffInInbox(
  org_id: string,
  put: { id: string; delay: number; attempts: number; failure: string | null },
): Write {
  return PUT_OFF_IN_INBOX({ org_id, ...put });
}

const PRUNE_INBOX = `
  delete from pawl.inbox i
  where i.org_id = $1 and i.id = any(array(
    select old.id from pawl.inbox old
    where old.org_id = $1 and old.refused_at < to_timestamp($2::float8 / 1000.0)
    order by old.refused_at
    limit $3
    for update skip locked))
  returning i.id`;

/** Deletes requests that were refused before a moment; returns how many. */
export async function pruneInbox(
  tx: Tx,
  org_id: string,
  { before, limit }: { before: Instant; limit: number },
): Promise<number> {
  return (await query(tx, PRUNE_INBOX, [org_id, before, limit])).length;
}
