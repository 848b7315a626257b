/** Number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text))
    width += WIDE.test(segment) ? 2 : NO_WIDTH.test(segment) ? 0 : 1;
  return width;
}

/** Truncates a text to `columns`, with … in place of the rest. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * Makes untrusted text safe for one line of a terminal: escape sequences in a title must not move the cursor, set colours
 * or reverse the direction of the line.
 */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
}

const GRAPHEMES = new Intl.Segmenter();
const PLAIN = /^[\x20-\x7e]*$/;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
