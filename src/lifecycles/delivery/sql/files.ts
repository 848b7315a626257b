import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

export type FileRow = {
  id: string;
  parent_id: string | null;
  kind: "file" | "folder";
  name: string;
  size: number | null;
  path: string;
  revision: string | null;
};

// Keeps the later scan's id: an earlier scan that ends after it must not delete what the later one has seen.
const SAVE_FILES = `
  insert into pawl.delivery_file (org_id, id, parent_id, kind, name, sought_as, grams, path, size, revision, scan)
  select $1, f.id, f.parent_id, f.kind, f.name, f.sought_as, f.grams, f.path, f.size, f.revision, $2
  from json_to_recordset($3::text::json) as f(id text, parent_id text, kind text, name text, sought_as text, grams text[],
    path text, size bigint, revision text)
  order by f.id
  on conflict (org_id, id) do update
    set kind = excluded.kind, name = excluded.name, sought_as = excluded.sought_as, grams = excluded.grams, size = excluded.size,
      revision = excluded.revision, scan = greatest(delivery_file.scan collate "C", excluded.scan), seen_at = now()`;

export async function saveFiles(
  tx: Tx,
  org_id: string,
  scan: string,
  files: readonly (FileRow & { sought_as: string; grams: readonly string[] })[],
): Promise<void> {
  if (files.length > 0) await query(tx, SAVE_FILES, [org_id, scan, asRows(files)]);
}

// Scans of a folder can overlap, also those of several bots; entries seen by a later scan are kept. Deletes the contents of
// deleted folders too. The top folder has no id: the union lets both cases use the index.
const DELETE_UNSEEN_FILES = `
  with recursive gone as (
    select o.id, o.kind from (
      select f.id, f.kind, f.scan from pawl.delivery_file f where f.org_id = $1 and f.parent_id = $2
      union all
      select f.id, f.kind, f.scan from pawl.delivery_file f
      where f.org_id = $1 and f.parent_id is null and $2::text is null
    ) as o
    where o.scan collate "C" < $3
    union all
    select f.id, f.kind from gone g join pawl.delivery_file f on f.org_id = $1 and f.parent_id = g.id
    where g.kind = 'folder'
  )
  delete from pawl.delivery_file d where d.org_id = $1 and d.id in (select g.id from gone g)
  returning d.sought_as`;

/** Deletes entries of a scanned folder that the scan has not seen; returns their normalized names. */
export async function deleteUnseenFiles(
  tx: Tx,
  org_id: string,
  { folder_id, scan }: { folder_id: string | null; scan: string },
): Promise<string[]> {
  const rows = await query<{ sought_as: string }>(tx, DELETE_UNSEEN_FILES, [org_id, folder_id, scan]);
  return rows.map(({ sought_as }) => sought_as);
}

// Each word can be anywhere in the name. Folders first, then by name.
const LIST_FOLDER = `
  select f.id, f.parent_id, f.kind, f.name, f.size::float8 as size, f.path, f.revision, (count(*) over ())::integer as total
  from (
    select i.* from pawl.delivery_file i where i.org_id = $1 and i.parent_id = $5
    union all
    select i.* from pawl.delivery_file i where i.org_id = $1 and i.parent_id is null and $5::text is null
  ) as f
  where f.sought_as like all ($2::text[])
  order by f.kind desc, f.sought_as, f.id
  limit $3 offset $4`;

type Page = { limit: number; offset: number };
type FilePage = { rows: FileRow[]; total: number };
type CountedRow = FileRow & { total: number };

/** Returns a page of a folder; null: the top folder. */
export async function listFolder(
  tx: Tx,
  org_id: string,
  { folder_id, patterns, limit, offset }: Page & { folder_id: string | null; patterns: readonly string[] },
): Promise<FilePage> {
  const params = [org_id, patterns, limit, offset, folder_id];
  return pageOf(await query<CountedRow>(tx, LIST_FOLDER, params));
}

/** A condition on names: all trigrams, which the index finds, and all patterns. `rank`: its typos. */
export type NamePattern = { rank: number; grams: readonly string[]; patterns: readonly string[] };

const SEARCH_FILES = `
  select f.id, f.parent_id, f.kind, f.name, f.size::float8 as size, f.path, f.revision, (count(*) over ())::integer as total
  from pawl.delivery_file f
  where f.org_id = $1 and f.grams @> $5::text[] and f.sought_as like all ($2::text[])
  order by f.kind desc, f.sought_as, f.id
  limit $3 offset $4`;

// Words of one or two letters have no trigram.
const SCAN_FILES = `
  select f.id, f.parent_id, f.kind, f.name, f.size::float8 as size, f.path, f.revision, (count(*) over ())::integer as total
  from pawl.delivery_file f
  where f.org_id = $1 and f.sought_as like all ($2::text[])
  order by f.kind desc, f.sought_as, f.id
  limit $3 offset $4`;

/** Returns a page of the names in all folders that match a pattern. */
export async function searchFiles(
  tx: Tx,
  org_id: string,
  { grams, patterns }: NamePattern,
  { limit, offset }: Page,
): Promise<FilePage> {
  const params = [org_id, patterns, limit, offset];
  return pageOf(
    grams.length === 0
      ? await query<CountedRow>(tx, SCAN_FILES, params)
      : await query<CountedRow>(tx, SEARCH_FILES, [...params, grams]),
  );
}

// A lateral lookup per combination, so that each of them uses the index.
const SEARCH_SIMILAR_FILES = `
  with matched as (
    select m.id, min(c.rank) as rank
    from json_to_recordset($2::text::json) as c(rank integer, grams text[], patterns text[])
    cross join lateral (
      select i.id from pawl.delivery_file i
      where i.org_id = $1 and i.grams @> c.grams and i.sought_as like all (c.patterns) offset 0
    ) as m
    group by m.id
  )
  select f.id, f.parent_id, f.kind, f.name, f.size::float8 as size, f.path, f.revision, (count(*) over ())::integer as total
  from matched m join pawl.delivery_file f on f.org_id = $1 and f.id = m.id
  order by m.rank, f.kind desc, f.sought_as, f.id
  limit $3 offset $4`;

/** Returns a page of the names that match one of the patterns, best ones first. */
export async function searchSimilarFiles(
  tx: Tx,
  org_id: string,
  patterns: readonly NamePattern[],
  { limit, offset }: Page,
): Promise<FilePage> {
  const params = [org_id, asRows(patterns), limit, offset];
  return pageOf(await query<CountedRow>(tx, SEARCH_SIMILAR_FILES, params));
}

function pageOf(rows: CountedRow[]): FilePage {
  return { rows, total: rows[0]?.total ?? 0 };
}

const FIND_FILE = `
  select f.id, f.parent_id, f.kind, f.name, f.size::float8 as size, f.path, f.revision, c.telegram_file_id
  from pawl.delivery_file f
  left join pawl.delivery_cached_file c on c.org_id = $1 and c.file_id = f.id
    and coalesce(c.revision = f.revision, true)
  where f.org_id = $1 and f.id = $2`;

/** Finds a file, with Telegram's id of its current contents if it is cached. */
export async function findFile(
  tx: Tx,
  org_id: string,
  id: string,
): Promise<(FileRow & { telegram_file_id: string | null }) | null> {
  const [row] = await query<FileRow & { telegram_file_id: string | null }>(tx, FIND_FILE, [org_id, id]);
  return row ?? null;
}
