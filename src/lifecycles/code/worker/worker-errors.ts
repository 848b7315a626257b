/** An attempt failed. The message is part of the next attempt's prompt. */
export class AttemptFailed extends Error {
  override readonly name = "Setback";
  /** false: a retry would not help. */
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

/** The worker cannot run any task: it releases its task and stops. */
export class WorkerUnusable extends Error {
  override readonly name = "Trouble";
  /** Whether agents that are at work may finish first. */
  readonly letAgentsFinish: boolean;

  constructor(
    message: string,
    { letAgentsFinish = false, ...options }: ErrorOptions & { letAgentsFinish?: boolean } = {},
  ) {
    super(message, options);
    this.letAgentsFinish = letAgentsFinish;
  }
}
