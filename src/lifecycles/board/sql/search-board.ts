import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

/** The expression of the index `board_event_text`. */
export const SEARCHED_TEXT = `to_tsvector('pg_catalog.russian'::regconfig, regexp_replace(
      left(coalesce(e.patch ->> 'title', '') || ' ' || coalesce(e.patch #>> '{data,description}', '') || ' ' || coalesce(e.comment, ''), 100000),
      '[^[:alnum:]]+', ' ', 'g'))`;

// The index contains journal rows, also those with a text that was edited later. So a row with a text counts only if its task still has
// that text, or if its comment matches. The texts are compared, not their vectors: computing those for 50,000 rows took 20 s.
// Tasks are read in the order of the answer, newest first, until there are enough. Reading all tasks of a word that 100,000 tasks contain
// took 2.8 s.
export const SEARCH_BOARD = `
  select m.task_id as id
  from (
    select e.task_id, array_agg(e.row_version) as versions
    from pawl.event e
    where e.org_id = $1 and e.lifecycle = 'board' and e.action <> 'expire' and e.project_id = $2
      and ${SEARCHED_TEXT}
        @@ websearch_to_tsquery('pg_catalog.russian'::regconfig, $4)
    group by e.task_id
    order by e.task_id desc offset 0
  ) as m
  cross join lateral (
    select k.title, k.data from pawl.task k
    where k.org_id = $1 and k.id = m.task_id and (not k.private or $3 in (k.created_by, k.assigned_to)) offset 0
  ) as t
  cross join lateral (
    select from pawl.event e
    where e.org_id = $1 and e.task_id = m.task_id and e.row_version = any(m.versions)
      and (
        e.patch ->> 'title' is null
        or (e.patch ->> 'title' = t.title and e.patch #>> '{data,description}' = t.data ->> 'description')
        or to_tsvector('pg_catalog.russian'::regconfig, regexp_replace(left(e.comment, 100000), '[^[:alnum:]]+', ' ', 'g'))
          @@ websearch_to_tsquery('pg_catalog.russian'::regconfig, $4)
      )
    limit 1
  ) as current
  order by m.task_id desc
  limit $5`;

/** The number of tasks that a search finds at most, the newest ones. */
const MAX_MATCHES = 1_000;

/** Finds the tasks that the reader may see whose title and description, or one of whose comments, contain the words. */
export async function searchBoard(
  tx: Tx,
  org_id: string,
  { workspace_id, reader, words }: { workspace_id: string; reader: string | null; words: string },
): Promise<string[]> {
  const rows = await query<{ id: string }>(tx, SEARCH_BOARD, [
    org_id,
    workspace_id,
    reader,
    separated(words),
    MAX_MATCHES,
  ]);
  return rows.map(({ id }) => id);
}

/** Separates words as the index does, and keeps the syntax of a search: quotes, and a minus before a word. */
function separated(words: string): string {
  return words.replace(/(?<=[\p{L}\p{N}])-+|[^\p{L}\p{N}"-]+/gu, " ");
}
