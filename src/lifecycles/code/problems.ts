import type { Problem } from "../../core/index.ts";

/** Refusal codes of this lifecycle alone. */
export const CODE_PROBLEMS: Readonly<Record<string, Problem>> = {
  NOT_FAILED: {
    status: 409,
    title: "Only a failed task can be retried",
    next: "Wait until it is finished, or create another task.",
  },
  SETTING_OFF: {
    status: 409,
    title: "The project does not allow this action",
    next: "An admin can turn the setting on in the project's settings.",
  },
  REVIEW_REQUIRED: {
    status: 409,
    title: "The work must be approved before it is merged",
    next: "Request a review, and merge the work after its approval.",
  },
  ALREADY_PAUSED: {
    status: 409,
    title: "The task is already paused",
    next: "Resume it when work on it may go on.",
  },
  NOT_PAUSED: {
    status: 409,
    title: "The task is not paused",
    next: "Nothing needs to be done.",
  },
  BUDGET_SPENT: {
    status: 409,
    title: "The budget is spent",
    next: "Wait for the next day, raise the budget in the project's settings, or resume the task to allow it as much again.",
  },
  NO_DIFF: {
    status: 404,
    title: "The task has no changes yet",
    next: "Wait until an attempt has finished its work.",
  },
  BLOCKER_FINISHED: {
    status: 409,
    title: "The named blocker is finished",
    next: "Continue with the task, or name another blocker.",
  },
};
