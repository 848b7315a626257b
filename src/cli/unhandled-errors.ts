import { EXIT } from "./exit-code.ts";
import type { CliEnvironment } from "./cli-environment.ts";
import { errorText } from "./print-error.ts";

/**
 * Prints errors that belong to no command, such as output refused by a full disk or a timer of the user's configuration
 * that throws. Node would print a stack trace; here PAWL_DEBUG shows it.
 */
export function printUnhandledErrors({ err, debug }: CliEnvironment): void {
  process.once("uncaughtException", (error: NodeJS.ErrnoException) => {
    err.write(errorText(err, [sentenceOf(error)]));
    if (debug) err.write(`${error.stack ?? ""}\n`);
    process.exit(EXIT.finding);
  });
}

function sentenceOf(error: unknown): string {
  const [what = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return error instanceof Error && "syscall" in error && error.syscall === "write"
    ? `the output cannot be written (${what}).`
    : `code from the configuration failed outside of any command (${what}).`;
}
