import { z } from "zod";
import { defineRoutes, fields } from "../../api/index.ts";
import { defectFields } from "./fields.ts";
import { OF_PLACE, once, posts, reads, uuidPage, writes } from "./route-rows.ts";
import * as shapes from "./shapes.ts";

const { givenMoment, id, keptObject, nextCursor, nonEmptyText: words } = fields;

const { task } = shapes;
const name = words.max(200);

/** Routes of deliverables and their inspections. */
export const DELIVERABLE_ROUTES = defineRoutes({
  createDeliverable: {
    ...posts,
    path: "/api/planner/deliverables",
    permission: "deliverable.write",
    summary: "Create a deliverable",
    body: z.object({ project_id: id.nullish(), type: name, serial: name, ...once }),
    replies: { 201: shapes.deliverable },
    refusals: [...OF_PLACE, "ALREADY_EXISTS"],
  },
  listDeliverables: {
    ...reads,
    path: "/api/planner/deliverables",
    permission: "deliverable.read",
    summary: "Deliverables, oldest first",
    query: z.object({
      project_id: id.optional(),
      status: z.array(z.enum(shapes.DELIVERABLE_STATUSES)).max(100).optional(),
      type: id.optional(),
      serial: id.optional(),
      ...uuidPage,
    }),
    replies: { 200: z.object({ deliverables: z.array(shapes.deliverable), cursor: nextCursor }) },
    refusals: OF_PLACE,
  },
  getDeliverable: {
    ...reads,
    path: "/api/planner/deliverables/{id}",
    permission: "deliverable.read",
    summary: "A deliverable",
    replies: { 200: shapes.deliverable },
    refusals: OF_PLACE,
  },
  submitDeliverable: {
    ...posts,
    path: "/api/planner/deliverables/{id}/submit",
    permission: "deliverable.write",
    summary: "Submit a deliverable to quality control",
    about:
      "Requires all its tasks to be done or canceled. A rejected deliverable can be submitted again. New work for an approved one, such as a fix-task, reopens it: its status is `open` again.",
    body: z.object(once),
    replies: { 200: shapes.deliverable },
    refusals: OF_PLACE,
  },
  listInspections: {
    ...reads,
    path: "/api/planner/deliverables/{id}/inspections",
    permission: "inspection.read",
    summary: "The inspections of a deliverable, oldest first",
    replies: { 200: z.object({ inspections: z.array(shapes.inspection) }) },
    refusals: OF_PLACE,
  },
  inspectDeliverable: {
    ...posts,
    path: "/api/planner/deliverables/{id}/inspections",
    permission: "inspection.write",
    summary: "Record an inspection",
    about:
      "Approves or rejects the deliverable, and never moves a task. With `defect` and `task_id`, it records a defect of one of the deliverable's tasks; with `create_fix`, which only a rejection allows, also a task that fixes it.",
    body: z.object({
      result: z.enum(["approved", "rejected"]),
      measurements: keptObject.nullish(),
      act: words.max(10_000).nullish(),
      task_id: z.uuid().nullish(),
      defect: defectFields.nullish(),
      create_fix: z.boolean().nullish(),
      ...once,
    }),
    replies: {
      201: z.object({
        inspection: shapes.inspection,
        deliverable: shapes.deliverable,
        defect: shapes.defect.optional(),
        fix_task: task.optional(),
      }),
    },
    refusals: [...OF_PLACE, "TASK_NOT_FOUND", "FIX_NOT_ALLOWED"],
  },
});

/** Routes of shifts and of the project policy. */
export const SHIFT_ROUTES = defineRoutes({
  createShift: {
    ...posts,
    path: "/api/planner/shifts",
    permission: "shift.write",
    summary: "Plan a shift",
    body: z
      .object({
        project_id: id.nullish(),
        starts_at: givenMoment,
        ends_at: givenMoment,
        members: z.array(id).min(1).max(1_000),
        ...once,
      })
      .refine(({ starts_at, ends_at }) => Date.parse(ends_at) > Date.parse(starts_at), {
        path: ["ends_at"],
        error: "must be after starts_at",
      }),
    replies: { 201: shapes.shift },
    refusals: OF_PLACE,
  },
  listShifts: {
    ...reads,
    path: "/api/planner/shifts",
    permission: "shift.read",
    summary: "Shifts, oldest first",
    query: z.object({
      project_id: id.optional(),
      running: z.boolean().optional(),
      canceled: z.boolean().optional().describe("also canceled shifts"),
      member_id: id.optional(),
      from: givenMoment.optional().describe("only shifts that end after this moment"),
      to: givenMoment.optional().describe("only shifts that begin before this moment"),
      ...uuidPage,
    }),
    replies: { 200: z.object({ shifts: z.array(shapes.shift), cursor: nextCursor }) },
    refusals: OF_PLACE,
  },
  getShift: {
    ...reads,
    path: "/api/planner/shifts/{id}",
    permission: "shift.read",
    summary: "A shift",
    replies: { 200: shapes.shift },
    refusals: OF_PLACE,
  },
  endShift: {
    ...posts,
    path: "/api/planner/shifts/{id}/end",
    permission: "shift.write",
    summary: "End a shift now",
    about: "Returns the tasks of its members to the pool, unless the owner has another running shift.",
    body: z.object(once),
    replies: {
      200: z.object({
        shift: shapes.shift,
        released: z.array(z.uuid()).describe("tasks returned to the pool"),
        kept: z
          .array(z.object({ task_id: z.uuid(), code: z.string(), detail: z.string() }))
          .describe("tasks that stayed with their owners, with the reason"),
      }),
    },
    refusals: [...OF_PLACE, "SHIFT_CANCELED"],
  },
  getPolicy: {
    ...reads,
    path: "/api/planner/projects/{id}/policy",
    permission: "policy.read",
    summary: "The policy of a project",
    replies: { 200: shapes.policy },
    refusals: OF_PLACE,
  },
  changePolicy: {
    ...writes,
    method: "PATCH",
    path: "/api/planner/projects/{id}/policy",
    permission: "policy.write",
    summary: "Change the policy of a project",
    body: z.object({
      min_skill_to_take: z.int().min(1).max(10).nullish(),
      self_check_min_skill: z.int().min(1).max(10).nullish(),
      min_skill_to_invite: z.int().min(1).max(10).nullish(),
      allow_trade_override: z.boolean().nullish().describe("null restores the default"),
      ...once,
    }),
    replies: { 200: shapes.policy },
    refusals: OF_PLACE,
  },
});
