import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Only the worker that holds the lease stores a diff.
const SAVE_DIFF = `
  insert into pawl.code_diff (org_id, task_id, base, commit, files, added, removed, diff, truncated)
  select $1, t.id, $5, $6, $7, $8, $9, $10, $11 from pawl.task t
  where t.org_id = $1 and t.id = $2 and t.lease_token = $3::uuid and t.lease_holder = $4 and t.lifecycle = 'code'
  on conflict (org_id, task_id) do update set base = excluded.base, commit = excluded.commit, files = excluded.files,
    added = excluded.added, removed = excluded.removed, diff = excluded.diff, truncated = excluded.truncated,
    created_at = excluded.created_at
  returning task_id`;

export type Diff = {
  base: string;
  commit: string;
  files: number;
  added: number;
  removed: number;
  diff: string;
  truncated: boolean;
};

/** Stores the diff of a task in place of an earlier one; returns false if the caller does not hold the lease. */
export async function saveDiff(
  tx: Tx,
  org_id: string,
  { task_id, lease_token, holder }: { task_id: string; lease_token: string; holder: string },
  { base, commit, files, added, removed, diff, truncated }: Diff,
): Promise<boolean> {
  const params = [org_id, task_id, lease_token, holder, base, commit, files, added, removed, diff, truncated];
  return (await query(tx, SAVE_DIFF, params)).length > 0;
}

const READ_DIFF = `
  select d.base, d.commit, d.files, d.added, d.removed, d.diff, d.truncated, d.created_at from pawl.code_diff d
  where d.org_id = $1 and d.task_id = $2`;

export async function readDiff(
  tx: Tx,
  org_id: string,
  task_id: string,
): Promise<(Diff & { created_at: number }) | null> {
  const [row] = await query<Diff & { created_at: number }>(tx, READ_DIFF, [org_id, task_id]);
  return row ?? null;
}

const DELETE_DIFFS = `delete from pawl.code_diff d where d.org_id = $1 and d.task_id = any($2::uuid[])`;

/** Deletes the diffs of deleted tasks. */
export async function deleteDiffs(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  await query(tx, DELETE_DIFFS, [org_id, ids]);
}
