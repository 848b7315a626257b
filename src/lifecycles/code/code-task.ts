import type { JournalEntry, PublicTask } from "../../plugin/index.ts";
import { canSee } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import { onWire, onWireOrNull } from "./api.ts";
import type { Blocker, CodeEvent, CodeStatus, CodeTask } from "./api.ts";
import type { BlockerRow } from "./sql/read-task-blockers.ts";
import { totalUsage } from "./usage.ts";

type Text =
  | "description"
  | "acceptance"
  | "retry_of"
  | "worker"
  | "worktree"
  | "branch"
  | "commit"
  | "last_error"
  | "blocked_reason";
type ReviewRequest = CodeTask["review_request"];
type Data = Record<Text, string | null> & {
  max_attempts: number;
  auto_unblock: boolean;
  may_be_empty: boolean;
  claimed_at: number | null;
  repository?: string | null;
  review?: boolean | null;
  review_request?: ReviewRequest;
  budget_spent?: string | null;
} & Parameters<typeof totalUsage>[0];

/** Converts a task of the engine to the fields of this lifecycle. */
export function codeTask(task: PublicTask, blockers: readonly Blocker[]): CodeTask {
  const data = task.data as unknown as Data;
  return {
    id: task.id,
    project_id: task.project_id,
    title: task.title,
    description: data.description,
    acceptance: data.acceptance,
    status: task.status as CodeStatus,
    priority: task.priority,
    attempts: task.attempt,
    max_attempts: data.max_attempts,
    auto_unblock: data.auto_unblock,
    may_be_empty: data.may_be_empty,
    blocked_by: [...blockers],
    blocked_reason: data.blocked_reason,
    retry_of: data.retry_of,
    needs_attention: task.needs_attention,
    stuck: isStuck(task),
    worker: data.worker,
    worktree: data.worktree,
    branch: data.branch,
    commit: data.commit,
    last_error: data.last_error,
    repository: data.repository ?? null,
    review: data.review ?? null,
    review_request: data.review_request ?? null,
    usage: totalUsage(data),
    held: task.open_holds > 0,
    budget_spent: task.open_holds > 0 ? (data.budget_spent ?? null) : null,
    claimed_at: onWireOrNull(data.claimed_at),
    heartbeat_at: onWireOrNull(task.lease?.heartbeat_at ?? null),
    lease_until: onWireOrNull(task.lease?.until ?? null),
    available_at: onWireOrNull(task.available_at),
    created_by: task.created_by,
    created_at: onWire(task.created_at),
    updated_at: onWire(task.updated_at),
    entered_at: onWire(task.entered_at),
    row_version: task.row_version,
  };
}

/** `start` clears needs_attention, so in progress only `report_stuck` sets it. */
export function isStuck({
  status,
  needs_attention,
}: Pick<PublicTask, "status" | "needs_attention">): boolean {
  return status === "in_progress" && needs_attention;
}

/** Converts a blocker; one that the actor may not see shows only its id. */
export function blockerFor(
  actor: Actor,
  { blocker_id, title, status, on_failure, resolved, ...row }: BlockerRow,
): Blocker {
  const seen = canSee(actor, row);
  return {
    task_id: blocker_id,
    title: seen ? title : null,
    status: seen ? status : "private",
    on_failure,
    resolved,
  };
}

export function codeEvent(entry: JournalEntry): CodeEvent {
  return {
    id: entry.id,
    type: entry.type,
    action: entry.action,
    from_status: entry.from_status as CodeStatus | null,
    to_status: entry.to_status as CodeStatus | null,
    actor_id: entry.actor_id,
    comment: entry.comment,
    payload: entry.payload,
    created_at: onWire(entry.created_at),
  };
}
