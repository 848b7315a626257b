import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

export type StorageTokenRow = { revision: number; sealed: string | null };

const READ_STORAGE_TOKEN = `
  select t.revision, t.sealed from pawl.delivery_storage_token t where t.org_id = $1 and t.id = $2`;

export async function readStorageToken(tx: Tx, org_id: string, id: string): Promise<StorageTokenRow> {
  const [row] = await query<StorageTokenRow>(tx, READ_STORAGE_TOKEN, [org_id, id]);
  return row ?? { revision: 0, sealed: null };
}

// The first row is inserted by its first lock.
const LOCK_STORAGE_TOKEN = `
  insert into pawl.delivery_storage_token as t (org_id, id, locked_by, locked_until)
  select $1, $2, $4, clock_timestamp() + make_interval(secs => $5)
  where $3 = 0 or exists (select from pawl.delivery_storage_token o where o.org_id = $1 and o.id = $2)
  on conflict (org_id, id) do update
    set locked_by = excluded.locked_by, locked_until = excluded.locked_until
    where t.revision = $3 and (t.locked_until is null or t.locked_until <= clock_timestamp())
  returning t.id`;

export type TokenLock = { id: string; revision: number; holder: string; seconds: number };

/** Locks tokens for a refresh; false if they were refreshed meanwhile, or another process refreshes them. */
export async function lockStorageToken(
  tx: Tx,
  org_id: string,
  { id, revision, holder, seconds }: TokenLock,
): Promise<boolean> {
  return (await query(tx, LOCK_STORAGE_TOKEN, [org_id, id, revision, holder, seconds])).length > 0;
}

const SAVE_STORAGE_TOKEN = `
  update pawl.delivery_storage_token t
  set revision = t.revision + 1, sealed = $4, locked_by = null, locked_until = null, updated_at = clock_timestamp()
  where t.org_id = $1 and t.id = $2 and t.revision = $3
  returning t.id`;

/** Saves refreshed tokens; false if other ones were saved meanwhile. */
export async function saveStorageToken(
  tx: Tx,
  org_id: string,
  { id, revision, sealed }: { id: string; revision: number; sealed: string },
): Promise<boolean> {
  return (await query(tx, SAVE_STORAGE_TOKEN, [org_id, id, revision, sealed])).length > 0;
}

const UNLOCK_STORAGE_TOKEN = `
  update pawl.delivery_storage_token t set locked_by = null, locked_until = null
  where t.org_id = $1 and t.id = $2 and t.locked_by = $3`;

export async function unlockStorageToken(
  tx: Tx,
  org_id: string,
  { id, holder }: Pick<TokenLock, "id" | "holder">,
): Promise<void> {
  await query(tx, UNLOCK_STORAGE_TOKEN, [org_id, id, holder]);
}
