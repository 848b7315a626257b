import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// Ordered, because two batches that lock the same files in different orders deadlock.
const CACHE_FILES = `
  insert into pawl.delivery_cached_file (org_id, file_id, telegram_file_id, revision)
  select $1, f.file_id, f.telegram_file_id, f.revision
  from json_to_recordset($2::text::json) as f(file_id text, telegram_file_id text, revision text)
  order by f.file_id
  on conflict (org_id, file_id) do update
    set telegram_file_id = excluded.telegram_file_id,
      revision = coalesce(excluded.revision, delivery_cached_file.revision), cached_at = now()`;

export type CachedFile = { file_id: string; telegram_file_id: string; revision: string | null };

export async function cacheFiles(tx: Tx, org_id: string, files: readonly CachedFile[]): Promise<void> {
  await query(tx, CACHE_FILES, [org_id, asRows(files)]);
}

const DELETE_CACHED = `
  delete from pawl.delivery_cached_file c where c.org_id = $1 and c.file_id = $2 and c.telegram_file_id = $3`;

/** Deletes an id that Telegram no longer accepts. */
export async function deleteCached(
  tx: Tx,
  org_id: string,
  { file_id, telegram_file_id }: Pick<CachedFile, "file_id" | "telegram_file_id">,
): Promise<void> {
  await query(tx, DELETE_CACHED, [org_id, file_id, telegram_file_id]);
}
