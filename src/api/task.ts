import { z } from "zod";
import type { JsonObject, Lease, Task } from "../core/index.ts";
import { anyObject, moment, onWire, onWireOrNull } from "./fields.ts";

const lease = z.object({ holder: z.string(), until: moment, heartbeat_at: moment });

/** A task as every lifecycle has it; what is the lifecycle's own stands in `data`, as the lifecycle keeps it. */
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

/** A task as the engine tells it: the lease's token is left out. */
type ToldTask = Omit<Task, "lease"> & { lease: Omit<Lease, "token"> | null };

export function taskOnWire(told: ToldTask): TaskOnWire {
  return {
    id: told.id,
    org_id: told.org_id,
    project_id: told.project_id,
    lifecycle: told.lifecycle,
    lifecycle_version: told.lifecycle_version,
    status: told.status,
    row_version: told.row_version,
    title: told.title,
    data: told.data,
    created_by: told.created_by,
    assigned_to: told.assigned_to,
    private: told.private,
    priority: told.priority,
    attempt: told.attempt,
    open_blockers: told.open_blockers,
    open_holds: told.open_holds,
    due_at: onWireOrNull(told.due_at),
    due_action: told.due_action,
    available_at: onWireOrNull(told.available_at),
    needs_attention: told.needs_attention,
    lease: told.lease && {
      holder: told.lease.holder,
      until: onWire(told.lease.until),
      heartbeat_at: onWire(told.lease.heartbeat_at),
    },
    created_at: onWire(told.created_at),
    updated_at: onWire(told.updated_at),
    entered_at: onWire(told.entered_at),
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
    actor_id: z.string().nullable().describe("null: the system"),
    comment: z.string().nullable(),
    payload: anyObject.nullable(),
    created_at: moment,
  })
  .meta({ id: "Event" });

export type EventOnWire = z.output<typeof event>;

type ToldEvent = Omit<EventOnWire, "payload" | "created_at"> & {
  payload: JsonObject | null;
  created_at: number;
};

export function eventOnWire(told: ToldEvent): EventOnWire {
  return { ...told, created_at: onWire(told.created_at) };
}
