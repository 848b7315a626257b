import type { Problem } from "../../core/index.ts";

/** Refusal codes of this lifecycle alone. */
export const BOARD_PROBLEMS: Readonly<Record<string, Problem>> = {
  ALREADY_ASSIGNED: {
    status: 409,
    title: "The task is already assigned to this member",
    next: "Name another member.",
  },
  CANNOT_ESCALATE_OWN: { status: 409, title: "You cannot escalate your own task", next: "Use block." },
  CANNOT_TAKE_OVER: { status: 409, title: "The task is already yours", next: "Use resume." },
  NOT_PUBLIC: { status: 409, title: "A private task cannot be claimed", next: "Start it as its assignee." },
};
