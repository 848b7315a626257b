import type { Problem } from "../../core/index.ts";

/** Refusal codes of this lifecycle alone. */
export const PLANNER_PROBLEMS: Readonly<Record<string, Problem>> = {
  NOT_OWNER: {
    status: 403,
    title: "Only the owner may do this",
    next: "Let the owner act, or have the task reassigned.",
  },
  SKILL_TOO_LOW: {
    status: 403,
    title: "The skill level is too low",
    next: "Have a lead assign or review it.",
  },
  TRADE_MISMATCH: {
    status: 403,
    title: "The trade does not match",
    next: "Pick a task of your trade, or ask a lead.",
  },
  WIP_LIMIT: { status: 409, title: "One task at a time", next: "Submit your current task first." },
  HOLD_NOT_ALLOWED: {
    status: 409,
    title: "No hold in this status",
    next: "Assign or cancel the task first.",
  },
  SHIFT_NOT_OVER: {
    status: 409,
    title: "The owner's shift is not over",
    next: "End the shift, or recall the task.",
  },
  SHIFT_STARTED: {
    status: 409,
    title: "The shift has begun",
    next: "End it, or change its end or members.",
  },
  SHIFT_ENDED: { status: 409, title: "The shift has ended", next: "Plan a new one." },
  SHIFT_CANCELED: { status: 409, title: "The shift is canceled", next: "Plan a new one." },
  PATTERN_ENDED: { status: 409, title: "The pattern has ended", next: "Create a new one." },
  FIX_NOT_ALLOWED: {
    status: 409,
    title: "Nothing to fix yet",
    next: "Wait until the task is submitted or done.",
  },
  DELETE_NOT_ALLOWED: { status: 409, title: "This task cannot be deleted", next: "Cancel it." },
  REASON_REQUIRED: { status: 422, title: "A reason is required", next: "Give `reason`." },
  RESOLUTION_REQUIRED: {
    status: 422,
    title: "A resolution is required",
    next: "Describe in `resolution` how it was fixed.",
  },
  STATUS_NOT_PATCHABLE: {
    status: 422,
    title: "The status cannot be patched",
    next: "Use the transitions of the task.",
  },
  INVALID_IMPORT: {
    status: 422,
    title: "The table has mistakes",
    next: "Correct the cells that are named, and import the table again. Nothing was created.",
  },
  QC_ACTION_FORBIDDEN: {
    status: 422,
    title: "Quality control does not move tasks",
    next: "Record an inspection of the deliverable.",
  },
};
