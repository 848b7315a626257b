import { PawlProblem } from "../client/index.ts";
import { retry, retryDelayMs } from "../std/retry.ts";

/** Returns true if the same call may succeed later: the server did not answer, or was not able to. */
export function isTemporary(error: unknown): error is PawlProblem {
  return (
    error instanceof PawlProblem &&
    (error.code === "UNAVAILABLE" || error.status >= 500 || error.status === 429)
  );
}

/** Repeats a call until the server answers it, or the signal aborts; a refusal is an answer. */
export function retryUntilAnswered<Answer>(
  call: () => Promise<Answer>,
  signal: AbortSignal,
  onUnreachable: (error: PawlProblem) => void = () => undefined,
): Promise<Answer> {
  return retry(call, {
    signal,
    delayAfter: (error, failures) => {
      if (!isTemporary(error)) return null;
      onUnreachable(error);
      return retryDelayMs(failures, { retryAfter: error.retryAfter });
    },
  });
}

export function isLeaseLost(error: unknown): error is PawlProblem {
  return error instanceof PawlProblem && error.code === "LEASE_LOST";
}
