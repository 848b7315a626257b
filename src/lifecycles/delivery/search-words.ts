const GRAM_LENGTH = 3;
const MIN_WORD_LENGTH = 3;
const MAX_WORD_LENGTH = 40;

/** Normalizes a name for search: lower case, composed letters, "е" for "ё". */
export function searchKey(name: string): string {
  return name.normalize("NFC").toLowerCase().replaceAll("ё", "е");
}

/** Returns the distinct trigrams of a text, by code points as in SQL. */
export function gramsOf(text: string): string[] {
  const letters = Array.from(text);
  const starts = Array.from({ length: Math.max(0, letters.length - GRAM_LENGTH + 1) }, (_, start) => start);
  return [...new Set(starts.map((start) => letters.slice(start, start + GRAM_LENGTH).join("")))];
}

/** Returns the trigrams of a word; its ends count too. */
export function wordGrams(word: string): string[] {
  return gramsOf(` ${word} `);
}

/** Returns the distinct words of a normalized name that can be misspelled. */
export function wordsOf(key: string): string[] {
  const words = key.split(/[^\p{L}\p{N}]+/u);
  return [
    ...new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH && word.length <= MAX_WORD_LENGTH)),
  ];
}

/** Returns how many typos a word of this length may have. */
export function maxTypos(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}

/**
 * Returns the number of typos between two words: a wrong, missing, added letter, or two that were swapped. By hand, because
 * the small libraries count swapped letters as two typos.
 */
export function typosBetween(one: string, other: string): number {
  const [a, b] = [Array.from(one), Array.from(other)];
  let beforeLast: number[] = [];
  let last = b.reduce<number[]>((row, _, index) => [...row, index + 1], [0]);
  for (const [i, letter] of a.entries()) {
    const row = [i + 1];
    for (const [j, otherLetter] of b.entries()) {
      const replaced = at(last, j) + (letter === otherLetter ? 0 : 1);
      let typos = Math.min(replaced, at(last, j + 1) + 1, at(row, j) + 1);
      if (i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === otherLetter)
        typos = Math.min(typos, at(beforeLast, j - 1) + 1);
      row.push(typos);
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}

/** Returns the pattern of LIKE for texts that contain a word. */
export function containsPattern(word: string): string {
  return `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
