import type { Lease, Task } from "../../core/index.ts";

/** A task as callers see it: with the holder of its lease, but without the token. */
export type PublicTask = Omit<Task, "lease"> & { lease: Omit<Lease, "token"> | null };

/** Returns a task without its lease token, as it may be sent to callers. */
export function publicTask(task: Task): PublicTask {
  // Returned without a copy, which would cost as much as a decision.
  if (task.lease === null) return task;
  const { holder, until, heartbeat_at } = task.lease;
  return { ...task, lease: { holder, until, heartbeat_at } };
}
