import type { Problem } from "../../core/index.ts";

/** Refusal codes of this lifecycle. */
export const BOT_ACTION_PROBLEMS: Readonly<Record<string, Problem>> = {
  UNKNOWN_ACTION_ID: { status: 404, title: "No such bot action", next: "Call start first." },
};
