import type { Moved, Touched } from "./decision.ts";
import type { Instant, Lease, Task } from "./task.ts";

/** Returns the task after a decision. The caller creates the lease that opens: rules do not choose its token. */
export function apply(task: Task, decision: Moved | Touched, now: Instant, opened: Lease | null): Task {
  const { patch, timer, lease } = decision;
  const after: Task = { ...task, ...patch, updated_at: now };
  if (patch.data) after.data = { ...task.data, ...patch.data };
  if (decision.kind === "moved") {
    after.row_version = task.row_version + 1;
    if (decision.to !== task.status) {
      after.status = decision.to;
      after.entered_at = now;
    }
  }
  if (timer !== "keep") {
    after.due_at = timer?.due_at ?? null;
    after.due_action = timer?.due_action ?? null;
  }
  if (lease !== "keep") after.lease = lease === "open" ? opened : null;
  return after;
}
