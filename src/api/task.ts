import { z } from "zod";
import type { JsonObject, Lease, Task } from "../core/index.ts";
import { anyObject, moment, onWire, onWireOrNull } from "./fields.ts";

const lease = z.object({ holder: z.string(), until: moment, heartbeat_at: moment });

/** A task with the fields that every lifecycle has; `data` has the lifecycle's own. */
export const task = z
  .object({
    id: z.uuid(),
    org_id: z.string(),
    project_id: z.string(),
    lifecycle: z.string(),
    lifecycle_version: z.int(),
    status: z.string(),
    row_version: z.int(),
    title: z.string(),
    data: anyObject,
    created_by: z.string().nullable(),
    assigned_to: z.string().nullable(),
    private: z.boolean(),
    priority: z.int(),
    attempt: z.int(),
    open_blockers: z.int(),
    open_holds: z.int(),
    due_at: moment.nullable(),
    due_action: z.string().nullable(),
    available_at: moment.nullable(),
    needs_attention: z.boolean(),
    lease: lease.nullable(),
    created_at: moment,
    updated_at: moment,
    entered_at: moment,
  })
  .meta({ id: "Task" });

export type TaskOnWire = z.output<typeof task>;

/** A task without the token of its lease. */
type TaskWithoutToken = Omit<Task, "lease"> & { lease: Omit<Lease, "token"> | null };

export function taskOnWire(task: TaskWithoutToken): TaskOnWire {
  return {
    id: task.id,
    org_id: task.org_id,
    project_id: task.project_id,
    lifecycle: task.lifecycle,
    lifecycle_version: task.lifecycle_version,
    status: task.status,
    row_version: task.row_version,
    title: task.title,
    data: task.data,
    created_by: task.created_by,
    assigned_to: task.assigned_to,
    private: task.private,
    priority: task.priority,
    attempt: task.attempt,
    open_blockers: task.open_blockers,
    open_holds: task.open_holds,
    due_at: onWireOrNull(task.due_at),
    due_action: task.due_action,
    available_at: onWireOrNull(task.available_at),
    needs_attention: task.needs_attention,
    lease: task.lease && {
      holder: task.lease.holder,
      until: onWire(task.lease.until),
      heartbeat_at: onWire(task.lease.heartbeat_at),
    },
    created_at: onWire(task.created_at),
    updated_at: onWire(task.updated_at),
    entered_at: onWire(task.entered_at),
  };
}

/** A row of a task's journal; creation is row_version 1. */
export const event = z
  .object({
    id: z.string().describe("`<task_id>.<row_version>`"),
    task_id: z.uuid(),
    row_version: z.int(),
    type: z.string(),
    action: z.string(),
    from_status: z.string().nullable(),
    to_status: z.string().nullable(),
    actor_id: z.string().nullable().describe("null for the system"),
    comment: z.string().nullable(),
    payload: anyObject.nullable(),
    created_at: moment,
  })
  .meta({ id: "Event" });

export type EventOnWire = z.output<typeof event>;

type StoredEvent = Omit<EventOnWire, "payload" | "created_at"> & {
  payload: JsonObject | null;
  created_at: number;
};

export function eventOnWire(event: StoredEvent): EventOnWire {
  return {
    id: event.id,
    task_id: event.task_id,
    row_version: event.row_version,
    type: event.type,
    action: event.action,
    from_status: event.from_status,
    to_status: event.to_status,
    actor_id: event.actor_id,
    comment: event.comment,
    payload: event.payload,
    created_at: onWire(event.created_at),
  };
}

type StoredMove = {
  task: TaskWithoutToken;
  event: StoredEvent | null;
  outcome: "moved" | "touched" | "absorbed";
  lease_token: string | null;
};

/** The answer to an action; `lease_until` is set in the answer to the claim that opened the lease. */
export function movedOnWire({ task, event, outcome, lease_token }: StoredMove) {
  return {
    task: taskOnWire(task),
    event: event && eventOnWire(event),
    outcome,
    lease_token,
    lease_until: lease_token === null ? null : onWireOrNull(task.lease?.until ?? null),
  };
}

type StoredClaim = { task: TaskWithoutToken; lease_token: string | null; lease_until: number | null };

/** A claimed task with its lease. The fields are added to the task: a copy with more fields costs more than the task itself. */
export function claimedOnWire({ task, lease_token, lease_until }: StoredClaim) {
  return Object.assign(taskOnWire(task), { lease_token, lease_until: onWireOrNull(lease_until) });
}
