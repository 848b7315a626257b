import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Screen } from "./cli-environment.ts";
import { jsonText } from "./terminal-text.ts";

/** Prints the result of a command, as JSON or as text. */
export function print(
  out: Screen,
  { json, value, text }: { json?: boolean | undefined; value: unknown; text: () => string },
): ExitCode {
  out.write(json ? `${jsonText(value, 2)}\n` : `${text()}\n`);
  return EXIT.fine;
}

/** Returns true for a terminal, where times are relative, ids short and titles cut. */
export function isTty({ columns }: Pick<Screen, "columns">): boolean {
  return columns !== Infinity;
}

/** Returns a number with its noun: `1 task`, `2 tasks`. */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
