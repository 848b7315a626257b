import { PawlProblem } from "../client/index.ts";

/** What a run that threw means for its task. */
export type Failure = {
  /** "retryable": it may go well another time; "final": it will not. */
  kind: "retryable" | "final";
  /** What went wrong, for people. */
  message: string;
  /** Not sooner than this, where the other side said so. */
  retryAfterMs: number | null;
  error: unknown;
};

/** Thrown by a run: another time it may go well, where `retryAfterMs` is given not before that. */
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

/** Thrown by a run: trying again would not help. */
export class GiveUp extends Error {
  override readonly name = "GiveUp";
  readonly retryable = false;
}

/** Refusals that are worth another try although they are about what was asked: others changed it meanwhile, or too much was asked. */
const PASSING_STATUS = new Set([0, 408, 409, 425, 429]);

/**
 * What an error means: it says so itself by `retryable` and `retryAfterMs`, or is a server's answer that would be the same
 * again. What nobody knows is worth another try: how many there are is for the lifecycle to say.
 */
export function classify(error: unknown): Failure {
  const said = (error ?? {}) as { message?: unknown; retryable?: unknown; retryAfterMs?: unknown };
  const message = (typeof said.message === "string" && said.message) || String(error);
  if (error instanceof PawlProblem) {
    const { status, retryAfter } = error;
    const passing = PASSING_STATUS.has(status) || status >= 500;
    return {
      kind: passing ? "retryable" : "final",
      message,
      retryAfterMs: retryAfter === null ? null : retryAfter * 1_000,
      error,
    };
  }
  const retryAfterMs = typeof said.retryAfterMs === "number" ? said.retryAfterMs : null;
  return { kind: said.retryable === false ? "final" : "retryable", message, retryAfterMs, error };
}
