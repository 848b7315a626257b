import { z } from "zod";
import { fields } from "../../api/index.ts";
import { ESCALATION_REASONS, HOLD_KINDS, SEVERITIES } from "./fields.ts";

const { anyObject, moment } = fields;

export const STATUSES = [
  "blocked",
  "available",
  "assigned",
  "in_progress",
  "submitted",
  "done",
  "canceled",
] as const;
export const DELIVERABLE_STATUSES = ["open", "submitted_to_qc", "qc_approved", "qc_rejected"] as const;

const who = z.string().nullable();

export const hold = z
  .object({
    id: z.uuid(),
    kind: z.enum(HOLD_KINDS),
    reason: z.string(),
    placed_by: who,
    placed_at: moment,
  })
  .meta({ id: "PlannerHold" });

export const task = z
  .object({
    id: z.uuid(),
    org_id: z.string(),
    project_id: z.string(),
    deliverable_id: z.string().nullable(),
    title: z.string(),
    description: z.string().nullable(),
    kind: z.enum(["work", "fix"]),
    status: z.enum(STATUSES),
    row_version: z.int(),
    priority: z.int().describe("higher first"),
    required_trade: z.string().nullable(),
    available_at: moment.nullable().describe("cannot be taken before this moment"),
    depends_on: z.array(z.uuid()).describe("its blockers"),
    holds: z.array(hold).describe("open holds"),
    assigned_to: who,
    assigned_by: who.describe("null: taken by the owner"),
    assigned_at: moment.nullable(),
    started_at: moment.nullable(),
    submitted_at: moment.nullable(),
    reviewed_by: who,
    reviewed_at: moment.nullable(),
    self_checked: z.boolean(),
    contributors: z.array(z.string()),
    needs_attention: z.boolean(),
    fix_of_task_id: z.string().nullable(),
    parent_task_id: z.string().nullable(),
    due_at: moment.nullable().describe("when it should be done"),
    estimate_minutes: z.int().nullable().describe("minutes of work from start to submission"),
    created_by: who,
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: "PlannerTask" });

/** A task in lists, with a warning that depends on the time of the answer. */
export const timedTask = task.extend({
  lateness: z
    .object({
      state: z.enum(["late", "will_be_late"]),
      ready_at: moment.describe("the earliest possible submission, by the estimates"),
    })
    .optional()
    .describe("absent: in time, or without a due date"),
});

/** A row of a task's log; creation is row_version 1. */
export const transition = z
  .object({
    id: z.string().describe("`<task_id>.<result_row_version>`"),
    action: z.string(),
    from_status: z.enum(STATUSES).nullable(),
    to_status: z.enum(STATUSES).nullable().describe("null: deleted"),
    actor_id: who.describe("null: the system"),
    expected_row_version: z.int().nullable(),
    result_row_version: z.int(),
    client_event_id: z.string().nullable(),
    payload: anyObject,
    created_at: moment,
  })
  .meta({ id: "PlannerTransition" });

export const dependent = z
  .object({
    id: z.uuid(),
    title: z.string().nullable().describe("null: you may not see the task"),
    status: z.enum(STATUSES).nullable(),
    direct: z.boolean().describe("false: it waits for a task that waits for this one"),
  })
  .meta({ id: "PlannerDependent" });

export const escalation = z
  .object({
    id: z.uuid(),
    task_id: z.uuid(),
    reason: z.enum(ESCALATION_REASONS),
    text: z.string().nullable(),
    opened_by: who,
    opened_at: moment,
    note: z.string().nullable(),
    resolved_by: who,
    resolved_at: moment.nullable(),
  })
  .meta({ id: "PlannerEscalation" });

export const defect = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    task_id: z.uuid().describe("the task whose work is defective"),
    description: z.string(),
    cause: z.string().nullable(),
    what_to_fix: z.string().nullable(),
    severity: z.enum(SEVERITIES),
    reported_by: who,
    reported_at: moment,
    fix_task_id: z.uuid().nullable(),
    how_fixed: z.string().nullable(),
    fixed_by: who,
    fixed_at: moment.nullable(),
  })
  .meta({ id: "PlannerDefect" });

export const deliverable = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    type: z.string(),
    serial: z.string(),
    status: z.enum(DELIVERABLE_STATUSES),
    created_by: who,
    created_at: moment,
    updated_at: moment,
    reopened_at: moment.nullable().describe("when new work last reopened it after its approval"),
    reopened_by: who,
    reopened_for: z.uuid().nullable().describe("the task that reopened it"),
  })
  .meta({ id: "PlannerDeliverable" });

export const inspection = z
  .object({
    id: z.uuid(),
    deliverable_id: z.uuid(),
    result: z.enum(["approved", "rejected"]),
    measurements: anyObject,
    act: z.string().nullable(),
    inspector: who,
    defect_id: z.uuid().nullable(),
    fix_task_id: z.uuid().nullable(),
    created_at: moment,
  })
  .meta({ id: "PlannerInspection" });

export const shift = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    starts_at: moment,
    ends_at: moment,
    members: z.array(z.string()),
    settled: z.boolean().describe("the shift has ended, and all tasks that it should release are released"),
    created_by: who,
    created_at: moment,
    row_version: z.int().describe("grows with every change"),
    pattern_id: z.uuid().nullable().describe("the pattern that made it"),
    canceled_at: moment.nullable(),
    canceled_by: who,
    cancel_reason: z.string().nullable(),
  })
  .meta({ id: "PlannerShift" });

export const policy = z
  .object({
    min_skill_to_take: z.int(),
    self_check_min_skill: z.int(),
    min_skill_to_invite: z.int(),
    allow_trade_override: z.boolean(),
  })
  .meta({ id: "PlannerPolicy" });

export const pooled = timedTask.extend({
  can_self_assign: z.boolean().describe("whether you may take it now"),
  reasons: z
    .array(z.object({ code: z.string(), detail: z.string(), params: anyObject }))
    .describe("all reasons why not"),
});

export type PlannerTask = z.output<typeof task>;
export type PlannerTimedTask = z.output<typeof timedTask>;
export type PlannerTransition = z.output<typeof transition>;
export type PlannerHold = z.output<typeof hold>;
export type PlannerDependent = z.output<typeof dependent>;
export type PlannerEscalation = z.output<typeof escalation>;
export type PlannerDefect = z.output<typeof defect>;
export type PlannerDeliverable = z.output<typeof deliverable>;
export type PlannerInspection = z.output<typeof inspection>;
export type PlannerShift = z.output<typeof shift>;
export type PlannerPolicy = z.output<typeof policy>;
