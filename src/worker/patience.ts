import { PawlProblem } from "../client/index.ts";

/** Whether the same may be answered otherwise a moment later: nobody answered, or nobody could. */
export function isPassing(error: unknown): error is PawlProblem {
  return (
    error instanceof PawlProblem &&
    (error.code === "UNAVAILABLE" || error.status >= 500 || error.status === 429)
  );
}

export function isLeaseLost(error: unknown): error is PawlProblem {
  return error instanceof PawlProblem && error.code === "LEASE_LOST";
}
