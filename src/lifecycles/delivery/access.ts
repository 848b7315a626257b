import { refuse } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import type { UserStatus } from "./api.ts";

const DAY_MS = 86_400_000;

export type Decision = "approve" | "extend" | "block";
type UserAccess = { id: string; status: UserStatus; access_until: Instant | null };
type AccessChange = { status: "ACTIVE" | "BLOCKED"; access_until: Instant | null };

/** Returns the user's access after a decision; null if it does not change. */
export function decideAccess(
  decision: Decision,
  user: UserAccess,
  { now, days, until = null }: { now: Instant; days: number; until?: Instant | null },
): AccessChange | Refusal | null {
  const { status, access_until } = user;
  if (decision === "block") return status === "BLOCKED" ? null : { status: "BLOCKED", access_until: null };
  // If two admins approve at the same time, the user gets one period, not two.
  if (decision === "approve")
    return status === "ACTIVE" ? null : { status: "ACTIVE", access_until: until ?? now + days * DAY_MS };
  if (status === "PENDING" || status === "BLOCKED")
    return refuse("USER_NOT_ACTIVE", `The user ${user.id} is ${status}. Approve the user instead.`, {
      user_status: status,
    });
  return { status: "ACTIVE", access_until: until ?? Math.max(now, access_until ?? 0) + days * DAY_MS };
}
