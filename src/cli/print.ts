import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Screen } from "./surroundings.ts";
import { jsonText } from "./terminal-text.ts";

/** The answer of a command: for machines where they ask for it, otherwise for the eye. */
export function print(
  out: Screen,
  { json, value, text }: { json?: boolean | undefined; value: unknown; text: () => string },
): ExitCode {
  out.write(json ? `${jsonText(value, 2)}\n` : `${text()}\n`);
  return EXIT.fine;
}

/** Whether somebody looks at it: then times are told as seen from now, ids are short, and titles cut. */
export function isWatched({ columns }: Pick<Screen, "columns">): boolean {
  return columns !== Infinity;
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
