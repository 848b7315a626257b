import type { Instant, Refusal } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

/** A request in the inbox as operators see it: without its input, which may describe a private task. */
export type InboxRow = {
  id: string;
  lifecycle: string;
  project_id: string;
  key: string;
  member_id: string;
  role_name: string;
  created_at: Instant;
  attempts: number;
  /** Why the last attempt failed; null if there was none. */
  failure: string | null;
  due_at: Instant;
  refused_at: Instant | null;
  refusal: Pick<Refusal, "code" | "detail" | "params"> | null;
};

const COLUMNS = `i.id, i.lifecycle, coalesce(i.input ->> 'project_id', 'main') as project_id, i.key, i.member_id,
    i.role_name, i.created_at, i.attempts, i.failure, i.due_at, i.refused_at, i.refusal`;

export type InboxQuery = {
  state: "refused" | "waiting" | null;
  cursor: string | null;
  limit: number;
  /** The projects that the reader may see; null: all. */
  projects: readonly string[] | null;
};

const LIST_INBOX = `
  select ${COLUMNS}
  from pawl.inbox i
  where i.org_id = $1 and ($2::text is null or (i.refused_at is not null) = ($2 = 'refused'))
    and ($3::uuid is null or i.id < $3)
    and ($4::text[] is null or coalesce(i.input ->> 'project_id', 'main') = any($4))
  order by i.id desc
  limit $5`;

/** Lists requests, newest first. */
export function listInbox(
  tx: Tx,
  org_id: string,
  { state, cursor, projects, limit }: InboxQuery,
): Promise<InboxRow[]> {
  return query<InboxRow>(tx, LIST_INBOX, [org_id, state, cursor, projects, limit]);
}

const FIND_IN_INBOX = `
  select ${COLUMNS}
  from pawl.inbox i
  where i.org_id = $1 and i.id = $2::uuid
    and ($3::text[] is null or coalesce(i.input ->> 'project_id', 'main') = any($3))`;

export async function findInInbox(
  tx: Tx,
  org_id: string,
  id: string,
  projects: readonly string[] | null,
): Promise<InboxRow | null> {
  const [row] = await query<InboxRow>(tx, FIND_IN_INBOX, [org_id, id, projects]);
  return row ?? null;
}

const MAX_COUNT = 10_000;

const COUNT_INBOX = `
  select
    (select count(*) from (
      select from pawl.inbox i where i.org_id = $1 and i.refused_at is null
        and ($2::text[] is null or coalesce(i.input ->> 'project_id', 'main') = any($2)) limit $3) as w)::int as waiting,
    (select count(*) from (
      select from pawl.inbox i where i.org_id = $1 and i.refused_at is not null
        and ($2::text[] is null or coalesce(i.input ->> 'project_id', 'main') = any($2)) limit $3) as r)::int as refused`;

export type InboxCounts = { waiting: number; refused: number };

/** Counts the requests of an org, each state up to 10,000. */
export async function countInbox(
  tx: Tx,
  org_id: string,
  projects: readonly string[] | null,
): Promise<InboxCounts> {
  const [row] = await query<InboxCounts>(tx, COUNT_INBOX, [org_id, projects, MAX_COUNT]);
  return row ?? { waiting: 0, refused: 0 };
}

const RESTORE_IN_INBOX = `
  update pawl.inbox i
  set refused_at = null, refusal = null, failure = null, attempts = 0, due_at = statement_timestamp()
  where i.org_id = $1 and i.id = $2::uuid`;

/** Makes a refused or postponed request due again. */
export async function restoreInInbox(tx: Tx, org_id: string, id: string): Promise<void> {
  await query(tx, RESTORE_IN_INBOX, [org_id, id]);
}

const DISCARD_FROM_INBOX = `delete from pawl.inbox i where i.org_id = $1 and i.id = $2::uuid`;

export async function discardFromInbox(tx: Tx, org_id: string, id: string): Promise<void> {
  await query(tx, DISCARD_FROM_INBOX, [org_id, id]);
}
