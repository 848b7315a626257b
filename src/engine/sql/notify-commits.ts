import { queryOutsideTransaction } from "../query-outside-transaction.ts";
import type { Sql } from "../../postgres/index.ts";

/** The NOTIFY channel for commits of other nodes. */
export const COMMITS_CHANNEL = "pawl_commits";

// Never part of a transaction that writes, because commits with NOTIFY wait for each other. A lost hint does no harm, so the
// commit does not wait for the disk; set_config replaces `set local`, since the statement is a transaction of its own.
const NOTIFY_COMMITS = `
  select set_config('synchronous_commit', 'off', true), pg_notify('pawl_commits', hint)
  from unnest($1::text[]) as hint`;

const TIMEOUT_MS = 1_000;

/** Notifies the other nodes of commits, all in one statement. */
export async function notifyCommits(sql: Sql, hints: readonly string[]): Promise<void> {
  await queryOutsideTransaction(sql, TIMEOUT_MS, NOTIFY_COMMITS, [hints]);
}
