import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

/** The expression of the index `board_event_text`. */
export const SEARCHED_TEXT = `to_tsvector('pg_catalog.russian'::regconfig, regexp_replace(
      left(coalesce(e.patch ->> 'title', '') || ' ' || coalesce(e.patch #>> '{data,description}', '') || ' ' || coalesce(e.comment, ''), 100000),
      '[^[:alnum:]]+', ' ', 'g'))`;

// The index contains journal rows, also those with a text that was edited later. So a row with a text counts only if its task still has
// that text, or if its comment matches. The texts are compared, not their vectors: computing those for 50,000 rows took 20 s.
// Tasks are read in the order of the answer, newest first, until there are enough. Reading all tasks of a word that 100,000 tasks contain
// took 2.8 s. $4 is the query, $5 the same without phrases: the index knows no positions, so PostgreSQL would compute the vector of each
// row with all words of a phrase again, which took 9 s for 60,000 rows. Here only the newest 5,000 tasks are compared with the phrase.
export const SEARCH_BOARD = `
  select m.task_id as id
  from (
    select e.task_id, array_agg(e.row_version) as versions
    from pawl.event e
    where e.org_id = $1 and e.lifecycle = 'board' and e.action <> 'expire' and e.project_id = $2
      and ${SEARCHED_TEXT}
        @@ websearch_to_tsquery('pg_catalog.russian'::regconfig, $5)
    group by e.task_id
    order by e.task_id desc
    limit case when $4::text = $5::text then null else 5000 end
  ) as m
  cross join lateral (
    select k.title, k.data from pawl.task k
    where k.org_id = $1 and k.id = m.task_id and (not k.private or $3 in (k.created_by, k.assigned_to)) offset 0
  ) as t
  cross join lateral (
    select from pawl.event e
    where e.org_id = $1 and e.task_id = m.task_id and e.row_version = any(m.versions)
      and case when $4::text = $5::text then true else
        ${SEARCHED_TEXT}
          @@ websearch_to_tsquery('pg_catalog.russian'::regconfig, $4) end
      and (
        e.patch ->> 'title' is null
        or (e.patch ->> 'title' = t.title and e.patch #>> '{data,description}' = t.data ->> 'description')
        or to_tsvector('pg_catalog.russian'::regconfig, regexp_replace(left(e.comment, 100000), '[^[:alnum:]]+', ' ', 'g'))
          @@ websearch_to_tsquery('pg_catalog.russian'::regconfig, $4)
      )
    limit 1
  ) as current
  order by m.task_id desc
  limit $6`;

/** The number of tasks that a search finds at most, the newest ones. */
const MAX_MATCHES = 1_000;

/** Finds the tasks that the reader may see whose title and description, or one of whose comments, contain the words. */
export async function searchBoard(
  tx: Tx,
  org_id: string,
  { workspace_id, reader, words }: { workspace_id: string; reader: string | null; words: string },
): Promise<string[]> {
  const { exact, loose } = parseSearch(words);
  const params = [org_id, workspace_id, reader, exact, loose, MAX_MATCHES];
  const rows = await query<{ id: string }>(tx, SEARCH_BOARD, params);
  return rows.map(({ id }) => id);
}

/** A word that no text contains. */
const NEVER = "0never0e7c1b9d2";

/**
 * Separates words as the index does, and keeps the syntax of a search: pairs of quotes, and a minus before a word or a phrase. `loose`
 * finds at least the same texts without positions: a phrase becomes its words, and an excluded phrase excludes nothing.
 */
export function parseSearch(words: string): { exact: string; loose: string } {
  const spaced = words.replace(/[^\p{L}\p{N}"-]+/gu, " ").replace(/(?<!^| )-+|-(?![\p{L}\p{N}"])/gu, " ");
  const isPaired = spaced.split('"').length % 2 === 1;
  const exact = isPaired ? spaced : spaced.replace(/"(?=[^"]*$)/, " ");
  const loose = exact
    .replace(/-"[^"]*"/g, ` -${NEVER} `)
    .replace(/"([^"]*)"/g, (_, phrase: string) => ` ${phrase.replaceAll("-", " ")} `);
  return { exact, loose };
}
