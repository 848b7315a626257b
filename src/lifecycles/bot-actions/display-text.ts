import { firstUnits } from "../../core/index.ts";

const MOST_CHARACTERS = 300;

// The longest emoji has about half of it; what is longer is a letter under a heap of accents.
const UNITS_OF_CHARACTER = 32;

/** Plain text: HTML removed, trimmed, at most 300 characters as a person counts them; null where nothing is left. */
export function cleanDisplayText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const cut = firstCharacters(withoutTags(text).trim()).trim();
  return cut === "" ? null : cut;
}

/**
 * One pass, so that no text takes long. Removing a tag can join two halves of another ("<<b>b>"): each ">" therefore
 * closes the last "<" of what is left by then, not of what was sent.
 */
function withoutTags(text: string): string {
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
      const tag = lastTag(opened, kept);
      if (tag !== undefined) {
        kept.length = tag;
        continue;
      }
    }
    kept.push(unit);
  }
  return kept.slice(0, endOf(opened, kept)).join("");
}

/** Where the tag begins that a ">" ends; a "<" that begins none ("1 < 2 > 0") is dropped on the way. */
function lastTag(opened: number[], kept: readonly string[]): number | undefined {
  let last = opened.pop();
  while (last !== undefined && !beginsTag(kept, last)) last = opened.pop();
  return last;
}

/** A tag that is never closed reaches to the end, but "a<b" is a comparison as long as nothing is set in it. */
function endOf(opened: readonly number[], kept: readonly string[]): number {
  let end = kept.length;
  let setting = kept.lastIndexOf("=");
  for (const last of opened.toReversed()) {
    if (!beginsTag(kept, last)) continue;
    if (
      setting < last &&
      /[a-z]/i.test(kept[last + 1] ?? "") &&
      /[\p{L}\p{N})\]]/u.test(kept[last - 1] ?? "")
    )
      continue;
    end = last;
    if (setting >= last) setting = last === 0 ? -1 : kept.lastIndexOf("=", last - 1);
  }
  return end;
}

function beginsTag(kept: readonly string[], at: number): boolean {
  const name = kept[at + 1] === "/" ? kept[at + 2] : kept[at + 1];
  return name !== undefined && /[a-z!?]/i.test(name);
}

function firstCharacters(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const characters: string[] = [];
  const bounded = firstUnits(text, MOST_CHARACTERS * UNITS_OF_CHARACTER);
  for (const { segment } of new Intl.Segmenter().segment(bounded)) {
    if (characters.length === MOST_CHARACTERS) break;
    characters.push(firstUnits(segment, UNITS_OF_CHARACTER));
  }
  return characters.join("");
}
