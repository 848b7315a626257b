import type { Problem } from "../../core/index.ts";

/** Refusal codes of this lifecycle alone. */
export const CODE_PROBLEMS: Readonly<Record<string, Problem>> = {
  NOT_FAILED: {
    status: 409,
    title: "Only a failed task can be retried",
    next: "Wait until it is finished, or create another task.",
  },
  BLOCKER_FINISHED: {
    status: 409,
    title: "The named blocker is finished",
    next: "Continue with the task, or name another blocker.",
  },
};
