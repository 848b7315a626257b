import { z } from "zod";
import { defineRoutes, fields, taskRoutes } from "../../api/index.ts";
import {
  defectFields,
  ESCALATION_REASONS,
  HOLD_KINDS,
  SEVERITIES,
  taskChanges,
  taskFields,
} from "./fields.ts";
import { IMPORT_ROUTES } from "./import-api.ts";
import { LEAD_ROUTES } from "./lead-api.ts";
import { planner } from "./lifecycle.ts";
import { DELIVERABLE_ROUTES, SHIFT_ROUTES } from "./quality-api.ts";
import { movesTask, OF_PLACE, OF_TASK, once, posts, reads, uuidPage } from "./route-rows.ts";
import * as shapes from "./shapes.ts";
import { SHIFT_CHANGE_ROUTES, SHIFT_PATTERN_ROUTES } from "./shift-api.ts";
import { TEMPLATE_ROUTES } from "./template-api.ts";

const {
  anyObject,
  id,
  name,
  nextCursor,
  page,
  projectId: place,
  text,
  version,
  nonEmptyText: words,
} = fields;

const { task, transition } = shapes;

const moved = z.object({ task, transition });

const readsTasks = { ruled: true, permission: "task.read" } as const;

const TASKS = taskRoutes({
  prefix: "/api/planner",
  lifecycle: planner,
  task,
  routes: {
    create: {
      needs_key: true,
      about: "It is `available` if all its blockers are done, and `blocked` otherwise.",
      body: z.object({
        ...taskFields,
        project_id: place,
        depends_on: z.array(name).max(1_000).nullish(),
        ...once,
      }),
      refusals: OF_PLACE,
    },
    list: {
      ...readsTasks,
      query: z.object({
        project_id: id.optional(),
        status: z.array(z.enum(shapes.STATUSES)).max(100).optional(),
        assigned_to: id.optional().describe("a member's id, or `me`"),
        kind: z.enum(["work", "fix"]).optional(),
        required_trade: id.optional(),
        needs_attention: z.boolean().optional(),
        deliverable_id: z.uuid().optional(),
        parent_task_id: z.uuid().optional(),
        fix_of_task_id: z.uuid().optional(),
        due_before: fields.givenMoment
          .optional()
          .describe("unfinished tasks that are due before this moment"),
        q: text.max(200).optional().describe("part of a title"),
        ...uuidPage,
      }),
      replies: { 200: z.object({ tasks: z.array(shapes.timedTask), cursor: nextCursor }) },
    },
    get: { ...readsTasks, replies: { 200: shapes.timedTask } },
    move: {
      needs_key: true,
      body: z.object({
        action: name,
        payload: anyObject
          .nullish()
          .describe("assign_to, override_trade, reason, text, resolution, defect {…}, create_fix"),
        ...version,
        ...once,
      }),
      replies: {
        200: moved.extend({ fix_task: task.optional(), defect: shapes.defect.optional() }),
      },
      refusals: OF_TASK,
    },
  },
});

const CHANGE_ROUTES = defineRoutes({
  changePlannerTask: {
    ...movesTask,
    method: "PATCH",
    path: "/api/planner/tasks/{id}",
    permission: "task.update",
    summary: "Change the metadata of a task",
    about: "Only transitions change its status.",
    body: z.object({
      ...taskChanges,
      status: z.unknown().optional().describe("not allowed here: 422 STATUS_NOT_PATCHABLE"),
      ...version,
      ...once,
    }),
    replies: { 200: task },
    refusals: [...OF_TASK, "STATUS_NOT_PATCHABLE"],
  },
  deletePlannerTask: {
    ...movesTask,
    method: "DELETE",
    path: "/api/planner/tasks/{id}",
    permission: "task.delete",
    summary:
      "Delete a task that never had an owner and has no defect, fix-task, escalation or dependent task",
    about: "`If-Match` and `Idempotency-Key` are required. Its log is kept and can still be read.",
    replies: { 204: null },
    refusals: [...OF_TASK, "DELETE_NOT_ALLOWED"],
  },
});

const POOL_ROUTES = defineRoutes({
  listPlannerTransitions: {
    ...reads,
    path: "/api/planner/tasks/{id}/transitions",
    permission: "task.read",
    summary: "A task's log, oldest first; also of a deleted task",
    query: z.object({
      after: z.int().min(0).default(0).describe("the last result_row_version of the page before"),
      limit: z.int().min(1).max(200).default(200),
    }),
    replies: { 200: z.object({ transitions: z.array(transition) }) },
    refusals: OF_TASK,
  },
  claimPlannerTask: {
    ...posts,
    path: "/api/planner/claims",
    permission: "task.self_assign",
    summary: "Take your best available task, by priority and then by age",
    body: z.object({ project_id: id.nullish(), ...once }),
    replies: {
      200: z.object({
        task: task.nullable().describe("null: no task is available to you"),
        transition: transition.nullable(),
      }),
    },
    refusals: OF_PLACE,
  },
  getPlannerPool: {
    ...reads,
    path: "/api/planner/pool",
    permission: "task.read",
    summary: "Available tasks, best first",
    about:
      "Leads, supervisors and the system see all tasks. An executor with enough skill to take tasks sees those of the executor's trades, and others none.",
    query: z.object({
      project_id: id.optional(),
      ...page,
    }),
    replies: { 200: z.object({ tasks: z.array(shapes.pooled), cursor: nextCursor }) },
    refusals: OF_PLACE,
  },
});

const HELP_ROUTES = defineRoutes({
  listContributors: {
    ...reads,
    path: "/api/planner/tasks/{id}/contributors",
    permission: "task.read",
    summary: "The contributors of a task",
    replies: { 200: z.object({ contributors: z.array(z.string()) }) },
    refusals: OF_TASK,
  },
  addContributor: {
    ...movesTask,
    method: "POST",
    path: "/api/planner/tasks/{id}/contributors",
    permission: "contributor.add",
    summary: "Invite a member to help",
    body: z.object({ member_id: id, ...version, ...once }),
    replies: { 201: moved },
    refusals: OF_TASK,
  },
  removeContributor: {
    ...movesTask,
    method: "DELETE",
    path: "/api/planner/tasks/{id}/contributors/{member_id}",
    permission: "contributor.remove",
    summary: "Leave a task, or remove a contributor",
    replies: { 200: moved },
    refusals: OF_TASK,
  },
  listEscalations: {
    ...reads,
    path: "/api/planner/tasks/{id}/escalations",
    permission: "task.read",
    summary: "Calls for help, oldest first",
    replies: { 200: z.object({ escalations: z.array(shapes.escalation) }) },
    refusals: OF_TASK,
  },
  openEscalation: {
    ...movesTask,
    method: "POST",
    path: "/api/planner/tasks/{id}/escalations",
    permission: "task.escalate",
    summary: "Call for help; the same as the action `escalate`",
    body: z.object({
      reason: z.enum(ESCALATION_REASONS).nullish(),
      text: text.nullish().describe("required with the reason `other`"),
      ...version,
      ...once,
    }),
    replies: { 201: moved.extend({ escalation: shapes.escalation }) },
    refusals: OF_TASK,
  },
  resolveEscalation: {
    ...movesTask,
    method: "POST",
    path: "/api/planner/tasks/{id}/escalations/{escalation_id}/resolve",
    permission: "escalation.resolve",
    summary: "Resolve a call for help",
    body: z.object({ note: words.max(10_000), ...version, ...once }),
    replies: { 200: moved.extend({ escalation: shapes.escalation }) },
    refusals: OF_TASK,
  },
  listHolds: {
    ...reads,
    path: "/api/planner/tasks/{id}/holds",
    permission: "task.read",
    summary: "The open holds of a task",
    replies: { 200: z.object({ holds: z.array(shapes.hold) }) },
    refusals: OF_TASK,
  },
  placeHold: {
    ...movesTask,
    method: "POST",
    path: "/api/planner/tasks/{id}/holds",
    permission: "hold.place",
    summary: "Put a task on hold",
    body: z.object({
      kind: z.enum(HOLD_KINDS),
      reason: text.nullish().describe("required"),
      ...version,
      ...once,
    }),
    replies: { 201: moved.extend({ hold: shapes.hold }) },
    refusals: [...OF_TASK, "HOLD_NOT_ALLOWED"],
  },
  releaseHold: {
    ...movesTask,
    method: "DELETE",
    path: "/api/planner/tasks/{id}/holds/{hold_id}",
    permission: "hold.release",
    summary: "Release one hold",
    replies: { 200: moved },
    refusals: OF_TASK,
  },
  listDependents: {
    ...reads,
    path: "/api/planner/tasks/{id}/dependents",
    permission: "task.read",
    summary: "The unfinished tasks that wait for a task, directly or through others",
    about: "If the task is canceled, they stay blocked until the dependency is removed.",
    replies: { 200: z.object({ tasks: z.array(shapes.dependent) }) },
    refusals: OF_TASK,
  },
  addDependency: {
    ...movesTask,
    method: "POST",
    path: "/api/planner/tasks/{id}/depends_on",
    permission: "dependency.add",
    summary: "Make a blocked task wait for one more task",
    body: z.object({ blocker_id: id, ...version, ...once }),
    replies: { 201: moved },
    refusals: [...OF_TASK, "CYCLIC_DEPENDENCY"],
  },
  removeDependency: {
    ...movesTask,
    method: "DELETE",
    path: "/api/planner/tasks/{id}/depends_on/{blocker_id}",
    permission: "dependency.remove",
    summary: "Remove a dependency, for example on a canceled task",
    replies: { 200: moved },
    refusals: OF_TASK,
  },
});

const DEFECT_ROUTES = defineRoutes({
  reportDefect: {
    ...posts,
    path: "/api/planner/tasks/{id}/report-defect",
    permission: "task.create_defect",
    summary: "Record a defect; the task does not move",
    body: defectFields.extend(once),
    replies: { 201: shapes.defect },
    refusals: OF_TASK,
  },
  fixPlannerTask: {
    ...posts,
    path: "/api/planner/tasks/{id}/fix",
    permission: "task.fix",
    summary: "Create a task that fixes another",
    about: "The other must be submitted or done. Fields that are not given are copied from it.",
    body: z.object({
      title: taskFields.title.nullish().describe("default: `Fix: <title of the other>`"),
      defect: defectFields.nullish(),
      defect_id: id.nullish().describe("a reported defect, instead of `defect`"),
      ...once,
    }),
    replies: { 201: z.object({ task, defect: shapes.defect }) },
    refusals: [...OF_TASK, "FIX_NOT_ALLOWED"],
  },
  listDefects: {
    ...reads,
    path: "/api/planner/defects",
    permission: "task.read",
    summary: "Defects, oldest first",
    query: z.object({
      project_id: id.optional(),
      task_id: z.uuid().optional(),
      severity: z.enum(SEVERITIES).optional(),
      fixed: z.boolean().optional(),
      ...uuidPage,
    }),
    replies: { 200: z.object({ defects: z.array(shapes.defect), cursor: nextCursor }) },
    refusals: OF_PLACE,
  },
  getDefect: {
    ...reads,
    path: "/api/planner/defects/{id}",
    permission: "task.read",
    summary: "A defect",
    replies: { 200: shapes.defect },
    refusals: OF_PLACE,
  },
});

/** The planner's routes: tasks, moves, the pool, contributors, escalations, holds, defects, deliverables, shifts, policy. */
export const PLANNER_ROUTES = {
  ...TASKS.table,
  ...CHANGE_ROUTES,
  ...POOL_ROUTES,
  ...HELP_ROUTES,
  ...DEFECT_ROUTES,
  ...DELIVERABLE_ROUTES,
  ...SHIFT_ROUTES,
  ...SHIFT_CHANGE_ROUTES,
  ...SHIFT_PATTERN_ROUTES,
  ...LEAD_ROUTES,
  ...TEMPLATE_ROUTES,
  ...IMPORT_ROUTES,
};

export { CHANGE_ROUTES, DEFECT_ROUTES, DELIVERABLE_ROUTES, HELP_ROUTES, POOL_ROUTES, SHIFT_ROUTES, TASKS };
export type {
  PlannerDefect,
  PlannerDeliverable,
  PlannerDependent,
  PlannerEscalation,
  PlannerHold,
  PlannerInspection,
  PlannerPolicy,
  PlannerShift,
  PlannerTask,
  PlannerTimedTask,
  PlannerTransition,
} from "./shapes.ts";
export type { PlannerShiftPattern } from "./shift-api.ts";
