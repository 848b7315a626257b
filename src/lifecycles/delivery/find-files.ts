import type { Tx } from "../../plugin/index.ts";
import {
  containsPattern,
  gramsOf,
  maxTypos,
  searchKey,
  typosBetween,
  wordGrams,
  wordsOf,
} from "./search-words.ts";
import { searchFiles, searchSimilarFiles } from "./sql/files.ts";
import type { FileRow, NamePattern } from "./sql/files.ts";
import { nearWords } from "./sql/words.ts";

/** Spellings that are tried for one word, and for all words together. */
const MAX_SPELLINGS = 5;
const MAX_COMBINATIONS = 25;

const FIRST = { limit: 1, offset: 0 };

type Page = { limit: number; offset: number };
type Found = { rows: FileRow[]; total: number; similar: boolean };
type Spelling = { word: string; typos: number };

/** Finds names that contain all words; if there are none, names with similar words. */
export async function findFiles(tx: Tx, org_id: string, q: string, page: Page): Promise<Found> {
  const words = searchKey(q).split(/\s+/).filter(Boolean);
  const pattern = patternOf(words, 0);
  const exact = await searchFiles(tx, org_id, pattern, page);
  if (exact.total > 0) return { ...exact, similar: false };
  // A page behind the last one has no row with the total.
  const { total } = page.offset === 0 ? exact : await searchFiles(tx, org_id, pattern, FIRST);
  if (total > 0) return { rows: [], total, similar: false };
  const patterns = await similarPatterns(tx, org_id, wordsOf(words.join(" ")));
  if (patterns.length === 0) return { ...exact, similar: false };
  const similar = await searchSimilarFiles(tx, org_id, patterns, page);
  return { ...similar, similar: similar.total > 0 };
}

function patternOf(words: readonly string[], rank: number): NamePattern {
  return { rank, grams: [...new Set(words.flatMap(gramsOf))], patterns: words.map(containsPattern) };
}

/** Returns the combinations of similar words, those with the fewest typos first. */
async function similarPatterns(tx: Tx, org_id: string, words: readonly string[]): Promise<NamePattern[]> {
  let combinations: { words: string[]; typos: number }[] = [{ words: [], typos: 0 }];
  for (const word of words) {
    const spellings = await spellingsOf(tx, org_id, word);
    combinations = combinations
      .flatMap((one) =>
        spellings.map((spelling) => ({
          words: [...one.words, spelling.word],
          typos: one.typos + spelling.typos,
        })),
      )
      .sort((one, other) => one.typos - other.typos)
      .slice(0, MAX_COMBINATIONS);
  }
  const isSearch = words.length > 0;
  return isSearch ? combinations.map((one) => patternOf(one.words, one.typos)) : [];
}

/** Returns the word itself and known words with few typos; a part of a known word is kept as it is. */
async function spellingsOf(tx: Tx, org_id: string, word: string): Promise<Spelling[]> {
  const allowed = maxTypos(word.length);
  const own = { word, typos: 0 };
  if (allowed === 0) return [own];
  const lengths = { shortest: word.length - allowed, longest: word.length + allowed };
  const candidates = await nearWords(tx, org_id, { grams: wordGrams(word), ...lengths });
  const near = candidates
    .map((candidate) => ({ word: candidate, typos: typosBetween(word, candidate) }))
    .filter(({ typos }) => typos > 0 && typos <= allowed)
    .sort((one, other) => one.typos - other.typos);
  return [own, ...near.slice(0, MAX_SPELLINGS - 1)];
}
