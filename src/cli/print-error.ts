import { PawlError, problemOf } from "../core/index.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { CliError } from "./cli-error.ts";
import type { Screen, CliEnvironment } from "./cli-environment.ts";
import { wrap } from "./wrap.ts";
import { jsonText } from "./terminal-text.ts";

/** Prints an error and the next step, and returns the exit code. Unexpected errors are reported as a bug in Pawl. */
export function printError(
  error: unknown,
  { err, debug }: CliEnvironment,
  { json }: { json: boolean },
): ExitCode {
  if (error instanceof CliError) {
    const { message, hints, document } = error;
    err.write(
      json
        ? `${jsonText({ detail: message, ...document })}\n`
        : errorText(err, [sentence(message), ...hints]),
    );
  } else if (error instanceof PawlError) {
    err.write(json ? problemJson(error) : problemText(error, err));
  } else if (isPrivilegeError(error)) {
    err.write(
      errorText(err, [
        sentence(`PostgreSQL refused this: ${error.message}`),
        "`pawl doctor` names the missing privilege and how to grant it.",
      ]),
    );
  } else {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const hint = debug ? "please report it" : "please report it with the output of PAWL_DEBUG=1";
    err.write(errorText(err, [`this is a bug in Pawl; ${hint}: ${what}`]));
  }
  if (debug && error instanceof Error) err.write(`${error.stack ?? ""}\n${causeOf(error)}`);
  if (error instanceof CliError) return error.exitCode;
  return error instanceof PawlError ? exitCodeOf(error) : EXIT.finding;
}

/** Gives an error of the engine the exit code that the same mistake has at a server. */
function exitCodeOf({ code, params }: PawlError): ExitCode {
  if (code === "UNKNOWN_LIFECYCLE" || code === "VALIDATION_ERROR" || "option" in params) return EXIT.usage;
  return code === "NOT_FOUND" || code === "ALREADY_EXISTS" ? EXIT.refused : EXIT.finding;
}

/** True for PostgreSQL's error about a missing privilege. */
function isPrivilegeError(error: unknown): error is Error {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "42501";
}

/** Prints a usage error of commander in Pawl's format. */
export function printUsageError(message: string, command: string, err: Screen): ExitCode {
  const detail = message
    .replace(/^error: /, "")
    .replace(/\n\(Did you mean (one of )?(.*)\?\)$/, (_, several: string | undefined, names: string) =>
      several ? `; did you mean one of ${names}?` : `; did you mean "${names}"?`,
    )
    .replaceAll("'", '"');
  err.write(errorText(err, [sentence(detail), `See \`${command} --help\`.`]));
  return EXIT.usage;
}

function problemText(error: PawlError, err: Screen): string {
  const next = error.code === "NOT_FOUND" ? "Check the name or id." : problemOf(error.code).next;
  const at =
    typeof error.params.at === "string" && !error.message.includes(error.params.at)
      ? ` (${error.params.at})`
      : "";
  const mistakes = Array.isArray(error.params.mistakes) ? error.params.mistakes.map(String) : [];
  const [first] = mistakes;
  if (first === undefined) return errorText(err, [`${sentence(error.message)}${at}`, next]);
  // The message is a subject, a colon and all mistakes in one line; here each mistake gets its own line.
  const subject = error.message.slice(0, error.message.indexOf(first)).replace(/:\s*$/, "");
  if (mistakes.length === 1) return errorText(err, [`${subject}${at}: ${sentence(first)}`, next]);
  return errorText(err, [
    `${subject}${at} has ${mistakes.length} mistakes:`,
    ...mistakes.map((mistake) => `- ${mistake}`),
    next,
  ]);
}

/** The problem document that the server would send, on one line. */
function problemJson({ code, message, params }: PawlError): string {
  const { title, next } = problemOf(code);
  return `${jsonText({ code, title, detail: message, next, ...params })}\n`;
}

/** Formats an error: the first line is what happened, the others what to do. */
export function errorText({ colours, columns }: Screen, [first = "", ...rest]: string[]): string {
  const lines = rest.map((line) => `  ${wrap(line, columns, line.startsWith("- ") ? 4 : 2)}`);
  return [`${colours.red("pawl:")} ${wrap(first, columns, 6)}`, ...lines].map((line) => `${line}\n`).join("");
}

function sentence(text: string): string {
  // A mistake may end in a question ("did you mean …?"), which needs no full stop.
  return /[.?!]$/.test(text) ? text.replace(/\?\.$/, "?") : `${text}.`;
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? `caused by ${cause.stack ?? cause.message}\n` : "";
}
