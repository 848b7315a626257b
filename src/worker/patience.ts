import { PawlProblem } from "../client/index.ts";
import { pauseMs, rest } from "../client/patience.ts";

/** Whether the same may be answered otherwise a moment later: nobody answered, or nobody could. */
export function isPassing(error: unknown): error is PawlProblem {
  return (
    error instanceof PawlProblem &&
    (error.code === "UNAVAILABLE" || error.status >= 500 || error.status === 429)
  );
}

/** Asks until it is answered, for as long as somebody waits; a refusal is an answer. */
export async function insist<Answer>(
  ask: () => Promise<Answer>,
  waiting: AbortSignal,
  onUnreachable: (error: PawlProblem) => void = () => undefined,
): Promise<Answer> {
  for (let failures = 0; ; failures++) {
    waiting.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      onUnreachable(error);
      await rest(pauseMs(failures, { retryAfter: error.retryAfter }), waiting);
    }
  }
}

export function isLeaseLost(error: unknown): error is PawlProblem {
  return error instanceof PawlProblem && error.code === "LEASE_LOST";
}
