import type { Lifecycle } from "../../core/index.ts";
import type { OnFailure } from "../sql/dependencies.ts";

/** The system's action on a task after one of its blockers ended without success. */
export function failureAction(unblocks: Lifecycle["unblocks"], policy: OnFailure): string | undefined {
  return policy === "fail" ? unblocks?.fail : unblocks?.flag;
}

/** The input of that action. */
export function failedBlocker(blocker_id: string) {
  return { reason: `${blocker_id} ended without success.`, blocker_id };
}
