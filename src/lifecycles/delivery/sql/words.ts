import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const SAVE_WORDS = `
  insert into pawl.delivery_word (org_id, word, grams)
  select $1, w.word, w.grams from json_to_recordset($2::text::json) as w(word text, grams text[])
  order by w.word
  on conflict (org_id, word) do nothing`;

export async function saveWords(
  tx: Tx,
  org_id: string,
  words: readonly { word: string; grams: readonly string[] }[],
): Promise<void> {
  if (words.length > 0) await query(tx, SAVE_WORDS, [org_id, asRows(words)]);
}

// A word of a file that is being saved at this moment can be deleted too; the next scan saves it again.
const DELETE_UNUSED_WORDS = `
  delete from pawl.delivery_word w
  where w.org_id = $1 and w.word = any($2) and not exists (
    select from pawl.delivery_file f
    where f.org_id = $1 and f.sought_as like '%' || w.word || '%'
      and f.grams @> array(select substr(w.word, n.start, 3) from generate_series(1, length(w.word) - 2) as n(start)))`;

/** Deletes those of the words that no name contains any more. */
export async function deleteUnusedWords(tx: Tx, org_id: string, words: readonly string[]): Promise<void> {
  if (words.length > 0) await query(tx, DELETE_UNUSED_WORDS, [org_id, words]);
}

const MAX_CANDIDATES = 200;

// Those with the most common trigrams first.
const NEAR_WORDS = `
  select w.word from pawl.delivery_word w
  where w.org_id = $1 and w.grams && $2::text[] and length(w.word) between $3 and $4
  order by (select count(*) from unnest(w.grams) as g(gram) where g.gram = any($2)) desc, w.word
  limit ${MAX_CANDIDATES}`;

/** Returns words that may be meant by a misspelled one. */
export async function nearWords(
  tx: Tx,
  org_id: string,
  { grams, shortest, longest }: { grams: readonly string[]; shortest: number; longest: number },
): Promise<string[]> {
  const rows = await query<{ word: string }>(tx, NEAR_WORDS, [org_id, grams, shortest, longest]);
  return rows.map(({ word }) => word);
}
