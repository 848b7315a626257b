import type { Lifecycle } from "../../core/index.ts";
import type { OnFailure } from "../sql/dependencies.ts";

/** What the system does about a task when one that it waits for has ended without success. */
export function onFailure(unblocks: Lifecycle["unblocks"], policy: OnFailure): string | undefined {
  return policy === "fail" ? unblocks?.fail : unblocks?.flag;
}

/** What the system says of a blocker that will never be done. */
export function deadBlocker(blocker_id: string) {
  return { reason: `${blocker_id} ended without success.`, blocker_id };
}
