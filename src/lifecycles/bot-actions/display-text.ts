import { truncateText } from "../../core/index.ts";

const MAX_CHARACTERS = 300;

// About twice the length of the longest emoji. A longer character is a letter with many combining accents.
const MAX_UNITS_PER_CHARACTER = 32;

// White space that HTML collapses, and line separators. A no-break space is kept: its author put it there on purpose.
const WHITE_SPACE = /[\t-\r \u0085\u2028\u2029]+/g;

/** Elements that start on a new line or in another cell: their tags separate words. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table " +
    "tbody td tfoot th thead title tr ul"
  ).split(" "),
);
const MAX_BLOCK_NAME = Math.max(...[...BLOCKS].map(({ length }) => length));

/**
 * Returns plain text: HTML removed, white space collapsed, trimmed, at most 300 characters (grapheme clusters); null if nothing
 * is left.
 */
export function cleanDisplayText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const plain = stripTags(text).replace(WHITE_SPACE, " ").trim();
  const cut = firstCharacters(plain).trim();
  return cut === "" ? null : cut;
}

/**
 * Works in one pass, so the time is linear. Removing a tag can join two halves of another ("<<b>b>"); therefore each ">"
 * closes the last "<" of the remaining text, not of the original text.
 */
function stripTags(text: string): string {
  const kept: string[] = [];
  const opened: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith("<!--", at)) {
      const end = text.indexOf("-->", at + 4);
      if (end === -1) break;
      at = end + 2;
      continue;
    }
    const unit = text.charAt(at);
    if (unit === "<") opened.push(kept.length);
    if (unit === ">") {
      const tag = popOpenTag(opened, kept);
      if (tag !== undefined) {
        const separates = BLOCKS.has(tagName(kept, tag));
        kept.length = tag;
        if (separates) kept.push(" ");
        continue;
      }
    }
    kept.push(unit);
  }
  return kept.slice(0, endOfText(opened, kept)).join("");
}

/** Returns the start of the tag that a ">" closes. Skips each "<" that does not start a tag ("1 < 2 > 0"). */
function popOpenTag(opened: number[], kept: readonly string[]): number | undefined {
  let last = opened.pop();
  while (last !== undefined && !beginsTag(kept, last)) last = opened.pop();
  return last;
}

/** An unclosed tag extends to the end of the text. "a<b" without a "=" after it is a comparison, not a tag. */
function endOfText(opened: readonly number[], kept: readonly string[]): number {
  let end = kept.length;
  let equals = kept.lastIndexOf("=");
  for (const last of opened.toReversed()) {
    if (!beginsTag(kept, last)) continue;
    if (equals < last && /[a-z]/i.test(kept[last + 1] ?? "") && /[\p{L}\p{N})\]]/u.test(kept[last - 1] ?? ""))
      continue;
    end = last;
    if (equals >= last) equals = last === 0 ? -1 : kept.lastIndexOf("=", last - 1);
  }
  return end;
}

function beginsTag(kept: readonly string[], at: number): boolean {
  const name = kept[at + 1] === "/" ? kept[at + 2] : kept[at + 1];
  return name !== undefined && /[a-z!?]/i.test(name);
}

/** Returns the name of a tag in lower case. A name longer than that of any block is cut, so the time is constant. */
function tagName(kept: readonly string[], at: number): string {
  const start = kept[at + 1] === "/" ? at + 2 : at + 1;
  const [name = ""] = kept
    .slice(start, start + MAX_BLOCK_NAME + 1)
    .join("")
    .split(/[\s/]/, 1);
  return name.toLowerCase();
}

function firstCharacters(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const characters: string[] = [];
  const bounded = truncateText(text, MAX_CHARACTERS * MAX_UNITS_PER_CHARACTER);
  for (const { segment } of new Intl.Segmenter().segment(bounded)) {
    if (characters.length === MAX_CHARACTERS) break;
    characters.push(truncateText(segment, MAX_UNITS_PER_CHARACTER));
  }
  return characters.join("");
}
