import type { ExitCode } from "./exit-code.ts";

/** What ends a command: a sentence that says what is wrong, what to do about it, and the exit code. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly exitCode: ExitCode;
  /** Lines below the first one. */
  readonly more: readonly string[];
  /** Told where JSON is asked for. */
  readonly document: Readonly<Record<string, unknown>>;

  constructor(
    exitCode: ExitCode,
    sentence: string,
    { more = [], document = {}, cause }: Partial<Pick<Fault, "more" | "document">> & ErrorOptions = {},
  ) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.exitCode = exitCode;
    this.more = more;
    this.document = document;
  }
}
