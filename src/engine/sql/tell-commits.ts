import { ask } from "../ask.ts";
import type { Sql } from "../../postgres/index.ts";

/** What nodes tell each other by. */
export const COMMITS_CHANNEL = "pawl_commits";

// Never in a transaction that writes: a commit that notifies waits for every other that does. Nothing is lost with the hint,
// so nobody waits for the disk; `set local` by function, since the statement is a transaction of its own.
const TELL_COMMITS = `
  select set_config('synchronous_commit', 'off', true), pg_notify('pawl_commits', told)
  from unnest($1::text[]) as told`;

const PATIENCE_MS = 1_000;

/** Tells the other nodes, all in one statement. */
export async function tellCommits(sql: Sql, told: readonly string[]): Promise<void> {
  await ask(sql, PATIENCE_MS, TELL_COMMITS, [told]);
}
