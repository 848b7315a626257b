import { PawlProblem } from "../client/index.ts";

/** Describes a failed run: whether its task may be tried again, and when. */
export type Failure = {
  /** "retryable": another attempt may succeed; "final": it will not. */
  kind: "retryable" | "final";
  /** The error as a text for people. */
  message: string;
  /** Minimum delay before the next attempt, if the other side has requested one. */
  retryAfterMs: number | null;
  error: unknown;
};

/** Thrown by a run: another attempt may succeed, not before `retryAfterMs` if given. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly retryable = true;
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    { retryAfterMs = null, cause }: { retryAfterMs?: number | null } & ErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** Thrown by a run: another attempt would not help. */
export class GiveUp extends Error {
  override readonly name = "GiveUp";
  readonly retryable = false;
}

/** Statuses below 500 that may be retried: no answer, a timeout, a conflict, or too many requests. */
const TEMPORARY_STATUS = new Set([0, 408, 409, 425, 429]);

/**
 * Classifies an error: by its own `retryable` and `retryAfterMs`, or by the status of a server's reply. Unknown errors are
 * retryable; the lifecycle limits the number of attempts.
 */
export function classify(error: unknown): Failure {
  const fields = (error ?? {}) as { message?: unknown; retryable?: unknown; retryAfterMs?: unknown };
  const message = (typeof fields.message === "string" && fields.message) || String(error);
  if (error instanceof PawlProblem) {
    const { status, retryAfter } = error;
    const temporary = TEMPORARY_STATUS.has(status) || status >= 500;
    return {
      kind: temporary ? "retryable" : "final",
      message,
      retryAfterMs: retryAfter === null ? null : retryAfter * 1_000,
      error,
    };
  }
  const retryAfterMs = typeof fields.retryAfterMs === "number" ? fields.retryAfterMs : null;
  return { kind: fields.retryable === false ? "final" : "retryable", message, retryAfterMs, error };
}
