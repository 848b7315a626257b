import type { Problem } from "../../core/index.ts";

/** Refusal codes of this lifecycle. */
export const DELIVERY_PROBLEMS: Readonly<Record<string, Problem>> = {
  USER_NOT_ACTIVE: { status: 409, title: "The user has no access", next: "Fail the job." },
};
