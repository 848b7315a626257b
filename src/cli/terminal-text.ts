import { randomBytes } from "node:crypto";
import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import type { Screen } from "./surroundings.ts";

type Formatter = Screen["colours"]["bold"];

const ESCAPE = "\u001b";

/** Stands for ESC in Pawl's own sequences until they are written. It is random, so that no text from elsewhere holds it. */
const OWN_ESCAPE = `\uf8ff${randomBytes(8).toString("hex")}\uf8ff`;

/** Beyond what JSON escapes by itself: controls of 8-bit terminals, and characters that turn a line around. */
const UNSEEN = /[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text without control sequences and control characters, but for line breaks and tabs. Titles, comments, errors and the output
 * of agents come from elsewhere: they must not move the cursor, set colours or reach the clipboard.
 */
function withoutControls(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, "")
    .replaceAll(UNSEEN, "");
}

/** A control sequence of Pawl's own, as a part of a text for `toTerminal`. */
export function control(sequence: string): string {
  return sequence.replaceAll(ESCAPE, OWN_ESCAPE);
}

/** The text as it is written: of control sequences only Pawl's own are left. */
export function toTerminal(text: string): string {
  return withoutControls(text).replaceAll(OWN_ESCAPE, ESCAPE);
}

/** Colours whose sequences outlast `toTerminal`; those in the coloured text itself do not. */
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

/** JSON that a terminal shows as it is. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    UNSEEN,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
