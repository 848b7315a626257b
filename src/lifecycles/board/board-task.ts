import type { Instant } from "../../core/index.ts";
import type { PublicTask } from "../../plugin/index.ts";
import { onWire, onWireOrNull } from "./api.ts";
import type { BoardEvent, BoardStatus, BoardTask, ListedBoardTask } from "./api.ts";
import { priorityOf } from "./priorities.ts";
import type { BoardEventRow } from "./sql/read-board-events.ts";

type Row = Omit<PublicTask, "lease" | "org_id">;

/** Converts a task to the board's fields, as lists show it. */
export function listedTask(task: Row, blocked_by: readonly string[], now: Instant): ListedBoardTask {
  return {
    id: task.id,
    workspace_id: task.project_id,
    title: task.title,
    status: task.status as BoardStatus,
    priority: priorityOf(task.priority),
    visibility: task.private ? "private" : "public",
    labels: (task.data.labels as string[] | undefined) ?? [],
    creator_id: task.created_by,
    assignee_id: task.assigned_to,
    blocked_by: [...blocked_by],
    has_unresolved_blockers: task.open_blockers > 0,
    is_overdue: task.due_at !== null && task.due_at <= now,
    status_deadline_at: onWireOrNull(task.due_at),
    row_version: task.row_version,
    created_at: onWire(task.created_at),
    updated_at: onWire(task.updated_at),
  };
}

export function boardTask(task: Row, blocked_by: readonly string[], now: Instant): BoardTask {
  return { ...listedTask(task, blocked_by, now), description: task.data.description as string };
}

export function boardEvent(row: BoardEventRow): BoardEvent {
  return {
    id: `${row.task_id}.${row.row_version}`,
    type: row.type,
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    comment: row.comment,
    old_status: row.from_status as BoardStatus | null,
    new_status: row.to_status as BoardStatus | null,
    changes:
      row.type === "edited" || row.type === "reassigned" ? (row.payload as BoardEvent["changes"]) : null,
    created_at: onWire(row.created_at),
  };
}
