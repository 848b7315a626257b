import type { ExitCode } from "./exit-code.ts";

/** Ends a command with a sentence about what is wrong, hints about what to do, and an exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  /** Printed below the message, one per line. */
  readonly hints: readonly string[];
  /** Printed with `--json`, together with the message. */
  readonly document: Readonly<Record<string, unknown>>;

  constructor(
    exitCode: ExitCode,
    sentence: string,
    {
      hints: more = [],
      document = {},
      cause,
    }: Partial<Pick<CliError, "hints" | "document">> & ErrorOptions = {},
  ) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.exitCode = exitCode;
    this.hints = more;
    this.document = document;
  }
}
