import type { Instant, JsonObject } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Queryable, Tx } from "../transaction.ts";
import type { JournalEntry } from "../write/work.ts";
import { rowsByTask } from "../rows-by-task.ts";
import { eventVisibleTo } from "./visible-to.ts";

/** A row of pawl.event, the journal of all tasks, as the driver reads it; `bigint` columns are strings. */
export type EventRow = {
  task_id: string;
  row_version: string;
  position: string;
  lifecycle: string;
  project_id: string;
  type: string;
  action: string;
  from_status: string | null;
  to_status: string | null;
  actor_id: string | null;
  comment: string | null;
  payload: JsonObject | null;
  patch: JsonObject;
  client_event_id: string | null;
  expected_row_version: number | null;
  created_at: Instant;
};

export function entryOfRow(row: EventRow): JournalEntry {
  return {
    id: `${row.task_id}.${row.row_version}`,
    task_id: row.task_id,
    row_version: Number(row.row_version),
    type: row.type,
    action: row.action,
    from_status: row.from_status,
    to_status: row.to_status,
    actor_id: row.actor_id,
    comment: row.comment,
    payload: row.payload,
    created_at: row.created_at,
  };
}

// Used only after a connection was lost during a commit, so it has no index and scans the newest rows.
const FIND_MARKED = `
  select e.* from pawl.event e
  where e.org_id = $1 and e.client_event_id = any($2::text[])
    and e.position > (select o.feed_position - 100000 from pawl.org o where o.id = $1)`;

/** Finds journal rows by the internal keys that the engine gave them. */
export function findByJournalKey(tx: Tx, org_id: string, marks: readonly string[]): Promise<EventRow[]> {
  return marks.length === 0 ? Promise.resolve([]) : query<EventRow>(tx, FIND_MARKED, [org_id, marks]);
}

const READ_JOURNAL = `
  select e.* from pawl.event e
  where e.org_id = $1 and e.task_id = $2 and e.row_version > $3
  order by e.row_version
  limit $4`;

/** Reads a task's journal, oldest first. */
export function readJournal(
  tx: Tx,
  org_id: string,
  { task_id, after, limit }: { task_id: string; after: number; limit: number },
): Promise<EventRow[]> {
  return query<EventRow>(tx, READ_JOURNAL, [org_id, task_id, after, limit]);
}

const READ_JOURNALS = `
  select e.* from pawl.event e
  where e.org_id = $1 and e.task_id = any($2::uuid[])
  order by e.task_id, e.row_version`;

/** Reads the journals of some tasks, each oldest first. */
export async function readJournals(
  tx: Queryable,
  org_id: string,
  ids: readonly string[],
): Promise<(id: string) => readonly EventRow[]> {
  return rowsByTask(await query<EventRow>(tx, READ_JOURNALS, [org_id, ids]));
}

// Positions are assigned under the org's row lock, which lasts until commit: a reader who sees one sees all before it.
const READ_FEED = `
  select e.* from pawl.event e
  where e.org_id = $1 and e.position > $2 and e.row_version > 0
    and ($3::text[] is null or e.project_id = any($3))
    and ($4::text is null or e.lifecycle = $4)
    and ${eventVisibleTo("$5")}
  order by e.position
  limit $6`;

export type FeedQuery = {
  after: number;
  projects: readonly string[] | null;
  lifecycle: string | null;
  /** null: the system, which sees private tasks too. */
  reader: string | null;
  limit: number;
};

/** Reads the org's events in commit order. */
export function readFeed(tx: Tx, org_id: string, feed: FeedQuery): Promise<EventRow[]> {
  return query<EventRow>(tx, READ_FEED, [
    org_id,
    feed.after,
    feed.projects,
    feed.lifecycle,
    feed.reader,
    feed.limit,
  ]);
}

const READ_POSITION = `select o.feed_position::text as position from pawl.org o where o.id = $1`;

/** Returns the position of the feed's last event. */
export async function readPosition(tx: Tx, org_id: string): Promise<number> {
  const [row] = await query<{ position: string }>(tx, READ_POSITION, [org_id]);
  return Number(row?.position ?? 0);
}
