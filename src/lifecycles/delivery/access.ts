import { refuse } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import type { UserStatus } from "./api.ts";

const DAY_MS = 86_400_000;

export type Decision = "approve" | "extend" | "block";
type Access = { id: string; status: UserStatus; access_until: Instant | null };
type Granted = { status: "ACTIVE" | "BLOCKED"; access_until: Instant | null };

/** What a decision makes of a user's access; null: it stays as it is. */
export function decideAccess(
  decision: Decision,
  user: Access,
  { now, days }: { now: Instant; days: number },
): Granted | Refusal | null {
  const { status, access_until } = user;
  if (decision === "block") return status === "BLOCKED" ? null : { status: "BLOCKED", access_until: null };
  // Two admins who tap at once give one month, not two.
  if (decision === "approve")
    return status === "ACTIVE" ? null : { status: "ACTIVE", access_until: now + days * DAY_MS };
  if (status === "PENDING" || status === "BLOCKED")
    return refuse("USER_NOT_ACTIVE", `The user ${user.id} is ${status}: approve the user instead.`, {
      user_status: status,
    });
  return { status: "ACTIVE", access_until: Math.max(now, access_until ?? 0) + days * DAY_MS };
}
