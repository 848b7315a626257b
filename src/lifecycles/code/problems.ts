import type { Problem } from "../../core/index.ts";

/** Refusal codes of this lifecycle alone. */
export const CODE_PROBLEMS: Readonly<Record<string, Problem>> = {
  NOT_FAILED: {
    status: 409,
    title: "Only a failed task is tried again",
    next: "Wait until it is finished, or create another task.",
  },
  BLOCKER_FINISHED: {
    status: 409,
    title: "What is named as the blocker is finished",
    next: "Go on with the task, or name what really stands in the way.",
  },
};
