/** An attempt that came to nothing, and why; whoever tries again reads it. */
export class Setback extends Error {
  override readonly name = "Setback";
  /** false: trying again would not help. */
  readonly retryable: boolean;
  readonly exitCode: number | null;

  constructor(
    message: string,
    { retryable = true, exitCode = null }: { retryable?: boolean; exitCode?: number | null } = {},
  ) {
    super(message);
    this.retryable = retryable;
    this.exitCode = exitCode;
  }
}

/** Nothing can be done here at all, whatever the task: it is given back, and the worker stops. */
export class Trouble extends Error {
  override readonly name = "Trouble";
}
