import { PawlError, problemOf } from "../core/index.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { Fault } from "./fault.ts";
import type { Screen, Surroundings } from "./surroundings.ts";
import { wrap } from "./wrap.ts";
import { jsonText } from "./terminal-text.ts";

/** Says what went wrong and what to do next; only a bug of Pawl's own is called one. */
export function tellFault(
  error: unknown,
  { err, debug }: Surroundings,
  { json }: { json: boolean },
): ExitCode {
  if (error instanceof Fault) {
    const { message, more, document } = error;
    err.write(
      json ? `${jsonText({ detail: message, ...document })}\n` : tell(err, [sentence(message), ...more]),
    );
  } else if (error instanceof PawlError) {
    err.write(json ? problemJson(error) : problemText(error, err));
  } else if (isPrivilegeError(error)) {
    err.write(
      tell(err, [
        sentence(`PostgreSQL refused this: ${error.message}`),
        "`pawl doctor` names the missing privilege and how to grant it.",
      ]),
    );
  } else {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const hint = debug ? "please report it" : "please report it with what PAWL_DEBUG=1 shows";
    err.write(tell(err, [`this is a bug in Pawl, ${hint}: ${what}`]));
  }
  if (debug && error instanceof Error) err.write(`${error.stack ?? ""}\n${causeOf(error)}`);
  if (error instanceof Fault) return error.exitCode;
  return error instanceof PawlError && error.code === "UNKNOWN_LIFECYCLE" ? EXIT.usage : EXIT.finding;
}

/** True for PostgreSQL's error about a missing privilege. */
function isPrivilegeError(error: unknown): error is Error {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "42501";
}

/** Commander's own words, in Pawl's form. */
export function tellUsageFault(message: string, command: string, err: Screen): ExitCode {
  const detail = message
    .replace(/^error: /, "")
    .replace(/\n\(Did you mean (one of )?(.*)\?\)$/, (_, several: string | undefined, names: string) =>
      several ? `; did you mean one of ${names}?` : `; did you mean "${names}"?`,
    )
    .replaceAll("'", '"');
  err.write(tell(err, [sentence(detail), `See \`${command} --help\`.`]));
  return EXIT.usage;
}

function problemText(error: PawlError, err: Screen): string {
  const { next } = problemOf(error.code);
  const at =
    typeof error.params.at === "string" && !error.message.includes(error.params.at)
      ? ` (${error.params.at})`
      : "";
  const mistakes = Array.isArray(error.params.mistakes) ? error.params.mistakes.map(String) : [];
  const [first] = mistakes;
  if (first === undefined) return tell(err, [`${sentence(error.message)}${at}`, next]);
  // The message is what the mistakes are in, a colon, and the mistakes in a row: here each gets its line.
  const subject = error.message.slice(0, error.message.indexOf(first)).replace(/:\s*$/, "");
  if (mistakes.length === 1) return tell(err, [`${subject}${at}: ${sentence(first)}`, next]);
  return tell(err, [
    `${subject}${at} has ${mistakes.length} mistakes:`,
    ...mistakes.map((mistake) => `- ${mistake}`),
    next,
  ]);
}

/** The same as the server would answer, on one line of its own. */
function problemJson({ code, message, params }: PawlError): string {
  const { title, next } = problemOf(code);
  return `${jsonText({ code, title, detail: message, next, ...params })}\n`;
}

/** The first line says what happened, the others what to do. */
export function tell({ colours, columns }: Screen, [first = "", ...rest]: string[]): string {
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
