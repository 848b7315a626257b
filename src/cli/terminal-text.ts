import { randomBytes } from "node:crypto";
import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import type { Screen } from "./cli-environment.ts";

type Formatter = Screen["colours"]["bold"];

const ESCAPE = "\u001b";

/** Placeholder for ESC in Pawl's own sequences until they are written. It is random, so that no other text contains it. */
const OWN_ESCAPE = `\uf8ff${randomBytes(8).toString("hex")}\uf8ff`;

/** Characters that JSON does not escape: 8-bit control characters, and characters that change the direction of text. */
const INVISIBLE = /[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Removes control sequences and control characters, except line breaks and tabs. Titles, comments, errors and the output of
 * agents are untrusted: they must not move the cursor, set colours or reach the clipboard.
 */
function withoutControls(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, "")
    .replaceAll(INVISIBLE, "");
}

/** Marks a control sequence as Pawl's own, so that `toTerminal` keeps it. */
export function control(sequence: string): string {
  return sequence.replaceAll(ESCAPE, OWN_ESCAPE);
}

/** Prepares text for output: removes all control sequences except Pawl's own. */
export function toTerminal(text: string): string {
  return withoutControls(text).replaceAll(OWN_ESCAPE, ESCAPE);
}

/** Colours that `toTerminal` keeps; sequences inside the coloured text are removed. */
export function ownColours(coloured: boolean): Screen["colours"] {
  const plain = picocolors.createColors(coloured);
  if (!coloured) return plain;
  const own = Object.entries(plain).map(([name, paint]: [string, boolean | Formatter]) => [
    name,
    typeof paint === "boolean"
      ? paint
      : (text: Parameters<Formatter>[0]) => control(paint(toTerminal(String(text)))),
  ]);
  return Object.fromEntries(own) as Screen["colours"];
}

/** Serializes to JSON that is safe to print on a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    INVISIBLE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
