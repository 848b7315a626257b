import type { Problem } from "../../core/index.ts";

/** Refusal codes of this lifecycle alone. */
export const BOARD_PROBLEMS: Readonly<Record<string, Problem>> = {
  CANNOT_ESCALATE_OWN: { status: 409, title: "Your own task is not escalated", next: "Use block." },
  CANNOT_TAKE_OVER: { status: 409, title: "It is yours already", next: "Use resume." },
  NOT_PUBLIC: { status: 409, title: "A private task is not claimed", next: "Start it as its assignee." },
};
