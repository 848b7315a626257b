import { z } from "zod";
import {
  anyObject,
  givenMoment,
  moment,
  name,
  nextCursor,
  once,
  page,
  text,
  transition as transitionFields,
} from "./fields.ts";
import { problem } from "./problem.ts";
import { defineRoutes } from "./route.ts";
import { COMMON_MOVE_REFUSALS, MAX_BATCH } from "./task-route-set.ts";
import { event, task } from "./task.ts";

const creation = z.looseObject({
  lifecycle: name,
  project_id: name.nullish().describe("default `main`"),
  available_at: givenMoment.nullish().describe("the task cannot be claimed before this moment"),
  ...once,
});

const transition = z.object(transitionFields).meta({ id: "Transition" });

const moved = z
  .object({
    task,
    event: event.nullable().describe("null if the action was accepted without a journal row"),
    outcome: z.enum(["moved", "touched", "absorbed"]),
    lease_token: z.string().nullable().describe("only in the answer to the claim"),
    lease_until: moment.nullable(),
  })
  .meta({ id: "Moved" });

const explanation = z
  .object({
    action: z.string(),
    allowed: z.boolean(),
    refusals: z.array(z.object({ code: z.string(), detail: z.string(), params: anyObject })),
    input: anyObject.describe("JSON Schema of the payload"),
  })
  .meta({ id: "Explanation" });

const linkedTask = z.object({
  id: z.uuid(),
  lifecycle: z.string(),
  project_id: z.string(),
  title: z.string(),
  status: z.string(),
  final: z.boolean(),
  assigned_to: z.string().nullable(),
});

const dependency = z.object({
  task_id: z.uuid().describe("the task that waits"),
  blocker_id: z.uuid().describe("the task it waits for"),
  on_failure: z.enum(["wait", "proceed", "fail"]),
  resolved: z.boolean().describe("true if the task no longer waits for it"),
});

const graph = z
  .object({
    tasks: z.array(
      linkedTask.extend({
        open_blockers: z.int().describe("number of tasks it waits for, including those that you may not see"),
        needs_attention: z.boolean(),
      }),
    ),
    dependencies: z.array(dependency),
    complete: z.boolean().describe("false if the graph is larger than this answer"),
  })
  .meta({ id: "Graph" });

const links = z
  .object({
    tasks: z.array(linkedTask).describe("includes the task itself"),
    dependencies: z.array(dependency),
    hidden: z.int().describe("number of linked tasks that you may not see"),
    complete: z.boolean().describe("false if there are more links than in this answer"),
    holds: z.array(
      z.object({
        id: z.uuid(),
        kind: z.string(),
        reason: z.string().nullable(),
        placed_by: z.string().nullable(),
        placed_at: moment,
        released_by: z.string().nullable(),
        released_at: moment.nullable(),
      }),
    ),
  })
  .meta({ id: "Links" });

export const TASK_ROUTES = defineRoutes({
  createTask: {
    method: "POST",
    path: "/api/tasks",
    group: "Tasks",
    permission: { named_in: "body" },
    confined: ["task"],
    summary: "Create a task",
    about: "The lifecycle's own fields are at the top level, next to these. Unknown fields are ignored.",
    idempotent: true,
    body: creation,
    replies: { 201: task, 200: task },
    refusals: ["NOT_FOUND", "CYCLIC_DEPENDENCY"],
    ruled: true,
  },
  createTasks: {
    method: "POST",
    path: "/api/tasks/batch",
    group: "Tasks",
    permission: { named_in: "body" },
    confined: ["task"],
    summary: "Create many tasks, all or none",
    about: "`ref` names a task within the request; other tasks of the request can list it in `blocked_by`.",
    idempotent: true,
    body: z.object({
      tasks: z
        .array(creation.omit({ client_event_id: true }).extend({ ref: name.min(1).optional() }))
        .min(1)
        .max(MAX_BATCH),
      ...once,
    }),
    replies: { 201: z.object({ tasks: z.array(task) }) },
    refusals: ["NOT_FOUND", "CYCLIC_DEPENDENCY"],
    ruled: true,
  },
  listTasks: {
    method: "GET",
    path: "/api/tasks",
    group: "Tasks",
    summary: "The tasks you may see; default oldest first",
    query: z.object({
      lifecycle: name.optional(),
      status: z.array(name).max(100).optional().describe("one or several, separated by commas"),
      project_id: name.optional(),
      assigned_to: name.optional().describe("a member's id, or `me`"),
      q: text.max(200).optional().describe("part of a title"),
      label: z
        .array(text.max(50))
        .max(20)
        .optional()
        .describe("tasks with all of these labels (the field `labels` of their data), separated by commas"),
      held_by: name
        .optional()
        .describe(
          "a member's id, or `me`: unfinished tasks that the member is assigned to or holds the lease of",
        ),
      attention: z
        .boolean()
        .optional()
        .describe(
          "only tasks that need attention: flagged, overdue, or in a status that only a person leads out of",
        ),
      total: z
        .boolean()
        .optional()
        .describe("also count the tasks of the list; costs the more, the more there are"),
      sort: z
        .enum(["created", "updated", "entered", "due", "priority"])
        .default("created")
        .describe("anything but `created` sorts all matching tasks for each page, so narrow the filter"),
      order: z
        .enum(["asc", "desc"])
        .default("asc")
        .describe("tasks without a value come last in both orders"),
      ...page,
      cursor: name
        .regex(/^([^_]{1,40}_)?[0-9a-f-]{36}$/i, "must be a cursor of the same list")
        .optional()
        .describe("`cursor` of the previous page"),
    }),
    replies: {
      200: z.object({
        tasks: z.array(task),
        cursor: nextCursor,
        total: z
          .int()
          .min(0)
          .optional()
          .describe("only with `total=true`: tasks of all pages; at 100000 counting stops"),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  getTask: {
    method: "GET",
    path: "/api/tasks/{id}",
    group: "Tasks",
    confined: ["task"],
    summary: "A task",
    replies: { 200: task },
    refusals: ["TASK_NOT_FOUND"],
  },
  listTaskEvents: {
    method: "GET",
    path: "/api/tasks/{id}/events",
    group: "Tasks",
    confined: ["task"],
    summary: "A task's journal, oldest first",
    query: z.object({
      after: z.int().min(0).default(0).describe("return rows after this row_version"),
      limit: z.int().min(1).max(200).default(200),
    }),
    replies: { 200: z.object({ events: z.array(event) }) },
    refusals: ["TASK_NOT_FOUND"],
  },
  explainTask: {
    method: "GET",
    path: "/api/tasks/{id}/actions",
    group: "Tasks",
    confined: ["task"],
    summary: "The actions of a task: allowed for you now, or the reasons why not",
    replies: { 200: z.object({ actions: z.array(explanation) }) },
    refusals: ["TASK_NOT_FOUND", "NOT_SET_UP"],
  },
  getTaskLinks: {
    method: "GET",
    path: "/api/tasks/{id}/links",
    group: "Tasks",
    summary: "Holds of a task, the tasks it waits for and those that wait for it, up to a few steps away",
    replies: { 200: links },
    refusals: ["TASK_NOT_FOUND"],
  },
  getGraph: {
    method: "GET",
    path: "/api/graph",
    group: "Tasks",
    summary: "Graph of dependencies, unfinished and newest tasks first",
    about:
      "Only tasks that wait for others or that others wait for. If there are very many, only the newest are read.",
    query: z.object({
      project_id: name.optional(),
      lifecycle: name.optional(),
      finished: z.boolean().default(true).describe("false for unfinished tasks only"),
      limit: z.int().min(1).max(500).default(300),
    }),
    replies: { 200: graph },
    refusals: ["NOT_FOUND"],
  },
  moveTask: {
    method: "POST",
    path: "/api/tasks/{id}/transitions",
    group: "Tasks",
    permission: { named_in: "body" },
    confined: ["task"],
    summary: "Perform an action on a task",
    idempotent: true,
    versioned: true,
    body: transition,
    replies: { 200: moved },
    refusals: COMMON_MOVE_REFUSALS,
    ruled: true,
  },
  moveTasks: {
    method: "POST",
    path: "/api/transitions",
    group: "Tasks",
    summary: "Perform many actions; the answers are in the same order",
    about:
      "A refused action does not undo the others: its answer is a problem document. With `Idempotency-Key`, each action without a client_event_id gets one made of that key and its index.",
    idempotent: true,
    body: z
      .array(transition.extend({ id: name.describe("id of the task") }))
      .min(1)
      .max(MAX_BATCH),
    replies: { 200: z.array(z.union([moved, problem])) },
  },
});
