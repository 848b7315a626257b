import { onWire, onWireOrNull } from "../../api/index.ts";
import { canSee } from "../../core/index.ts";
import type { Actor, JsonObject } from "../../core/index.ts";
import type { EventRow, PublicTask } from "../../plugin/index.ts";
import type {
  PlannerDefect,
  PlannerDeliverable,
  PlannerDependent,
  PlannerEscalation,
  PlannerHold,
  PlannerInspection,
  PlannerShift,
  PlannerTask,
  PlannerTransition,
} from "./api.ts";
import type { PlannerData } from "./fields.ts";
import type { Defect } from "./sql/defects.ts";
import type { Deliverable, Inspection } from "./sql/deliverables.ts";
import type { Escalation } from "./sql/escalations.ts";
import type { DependentRow } from "./sql/read-all-dependents.ts";
import type { Shift } from "./sql/shifts.ts";

/** A shift, as read now or as stored by an older version. */
type SavedShift = Omit<Shift, Added> & Partial<Pick<Shift, Added>>;
type Added = "row_version" | "pattern_id" | "canceled_at" | "canceled_by" | "cancel_reason";

type Status = PlannerTask["status"];

/** Converts a task to the planner's fields. It reads only the task's row, so that a stored answer can be replayed. */
export function taskOnWire(task: PublicTask): PlannerTask {
  const data = task.data as PlannerData;
  return {
    id: task.id,
    org_id: task.org_id,
    project_id: task.project_id,
    deliverable_id: data.deliverable_id,
    title: task.title,
    description: data.description,
    kind: data.kind,
    status: task.status as Status,
    row_version: task.row_version,
    priority: task.priority,
    required_trade: data.required_trade,
    available_at: onWireOrNull(task.available_at),
    depends_on: data.depends_on,
    holds: data.holds.map(holdOnWire),
    assigned_to: task.assigned_to,
    assigned_by: data.assigned_by,
    assigned_at: onWireOrNull(data.assigned_at),
    started_at: onWireOrNull(data.started_at),
    submitted_at: onWireOrNull(data.submitted_at),
    reviewed_by: data.reviewed_by,
    reviewed_at: onWireOrNull(data.reviewed_at),
    self_checked: data.self_checked,
    contributors: data.contributors,
    needs_attention: task.needs_attention,
    fix_of_task_id: data.fix_of_task_id,
    parent_task_id: data.parent_task_id,
    due_at: onWireOrNull(data.due_at ?? null),
    estimate_minutes: data.estimate_minutes ?? null,
    created_by: task.created_by,
    created_at: onWire(task.created_at),
    updated_at: onWire(task.updated_at),
  };
}

export function holdOnWire({ placed_at, ...hold }: PlannerData["holds"][number]): PlannerHold {
  return { ...hold, placed_at: onWire(placed_at) };
}

/** Converts a journal row to a row of the planner's log. */
export function transitionOnWire(row: EventRow): PlannerTransition {
  return {
    id: `${row.task_id}.${row.row_version}`,
    action: row.action,
    from_status: row.from_status as Status | null,
    to_status: row.type === "deleted" ? null : (row.to_status as Status | null),
    actor_id: row.actor_id,
    expected_row_version: row.expected_row_version,
    result_row_version: Number(row.row_version),
    // Keys with this prefix are the engine's own.
    client_event_id: row.client_event_id?.startsWith("pawl:") ? null : row.client_event_id,
    payload: { ...row.payload, ...addedBy(row) },
    created_at: onWire(row.created_at),
  };
}

/** Returns the values that the server added to the request, so that a task can be rebuilt from its log. */
function addedBy({ action, patch, project_id }: EventRow): JsonObject {
  if (action === "create") return { project_id, ...creationOf(patch) };
  const { holds } = (patch.data ?? {}) as Partial<PlannerData>;
  return action === "place_hold" ? { hold_id: holds?.at(-1)?.id } : {};
}

/** Returns the fields that a task was created with. */
function creationOf(patch: JsonObject): JsonObject {
  const { kind, description, required_trade, depends_on, ...data } = patch.data as PlannerData;
  const { deliverable_id, parent_task_id, fix_of_task_id, flags, due_at, estimate_minutes } = data;
  const { title, priority = 0, available_at } = patch;
  const fields = { title, priority, kind, description, required_trade, depends_on };
  const links = { deliverable_id, parent_task_id, fix_of_task_id };
  return {
    ...fields,
    ...links,
    ...(available_at == null ? {} : { available_at: onWire(available_at as number) }),
    ...(flags.length > 0 ? { flags } : {}),
    ...(due_at == null ? {} : { due_at: onWire(due_at) }),
    ...(estimate_minutes == null ? {} : { estimate_minutes }),
  };
}

/** Converts a dependent task; one that the actor may not see shows only its id. */
export function dependentFor(
  actor: Actor,
  { id, title, status, direct, ...row }: DependentRow,
): PlannerDependent {
  const seen = canSee(actor, row);
  return { id, title: seen ? title : null, status: seen ? (status as Status) : null, direct };
}

export function escalationOnWire(row: Escalation): PlannerEscalation {
  return {
    ...row,
    reason: row.reason as PlannerEscalation["reason"],
    opened_at: onWire(row.opened_at),
    resolved_at: onWireOrNull(row.resolved_at),
  };
}

export function defectOnWire(row: Defect): PlannerDefect {
  return { ...row, reported_at: onWire(row.reported_at), fixed_at: onWireOrNull(row.fixed_at) };
}

type Reopened = Pick<Deliverable, "reopened_at" | "reopened_by" | "reopened_for">;

/** Converts a deliverable. In answers that versions before reopening stored for replay, its fields are absent. */
export function deliverableOnWire(
  row: Omit<Deliverable, keyof Reopened> & Partial<Reopened>,
): PlannerDeliverable {
  const { reopened_at = null, reopened_by = null, reopened_for = null } = row;
  return {
    ...row,
    created_at: onWire(row.created_at),
    updated_at: onWire(row.updated_at),
    reopened_at: onWireOrNull(reopened_at),
    reopened_by,
    reopened_for,
  };
}

export function inspectionOnWire(row: Inspection): PlannerInspection {
  return { ...row, created_at: onWire(row.created_at) };
}

export function shiftOnWire(row: SavedShift): PlannerShift {
  return {
    ...row,
    starts_at: onWire(row.starts_at),
    ends_at: onWire(row.ends_at),
    created_at: onWire(row.created_at),
    // Answers that an older version stored have none of these.
    row_version: row.row_version ?? 1,
    pattern_id: row.pattern_id ?? null,
    canceled_at: onWireOrNull(row.canceled_at ?? null),
    canceled_by: row.canceled_by ?? null,
    cancel_reason: row.cancel_reason ?? null,
  };
}
