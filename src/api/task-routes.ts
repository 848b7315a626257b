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
import { LEAST_RULED, MAX_BATCH } from "./task-route-set.ts";
import { event, task } from "./task.ts";

const creation = z.looseObject({
  lifecycle: name,
  project_id: name.nullish().describe("`main` unless given"),
  available_at: givenMoment.nullish().describe("not to be taken before"),
  ...once,
});

const transition = z.object(transitionFields).meta({ id: "Transition" });

const moved = z
  .object({
    task,
    event: event.nullable().describe("null: accepted, and nothing to tell"),
    outcome: z.enum(["moved", "touched", "absorbed"]),
    lease_token: z.string().nullable().describe("only in the answer that opened the lease"),
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
  task_id: z.uuid().describe("who waits"),
  blocker_id: z.uuid().describe("for whom"),
  on_failure: z.enum(["wait", "proceed", "fail"]),
  resolved: z.boolean().describe("it is waited for no more"),
});

const graph = z
  .object({
    tasks: z.array(
      linkedTask.extend({
        open_blockers: z.int().describe("for how many it waits, those that you may not see included"),
        needs_attention: z.boolean(),
      }),
    ),
    dependencies: z.array(dependency),
    complete: z.boolean().describe("false: there are more than are told here"),
  })
  .meta({ id: "Graph" });

const links = z
  .object({
    tasks: z.array(linkedTask).describe("the task itself among them"),
    dependencies: z.array(dependency),
    hidden: z.int().describe("how many more there are that you may not see"),
    complete: z.boolean().describe("false: there are more than are told here"),
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
    about: "The lifecycle's own fields stand beside the others. Keys that it does not know are ignored.",
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
    summary: "Create many tasks, all of them or none",
    about:
      "A task may have a name inside the request, its `ref`; others of the request may wait for it by that name in `blocked_by`.",
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
    summary: "The tasks you may see, oldest first unless told otherwise",
    query: z.object({
      lifecycle: name.optional(),
      status: z.array(name).max(100).optional().describe("one or several, separated by commas"),
      project_id: name.optional(),
      assigned_to: name.optional().describe("a member's id, or `me`"),
      q: text.max(200).optional().describe("part of a title"),
      sort: z
        .enum(["created", "updated", "entered", "due", "priority"])
        .default("created")
        .describe(
          "by anything but `created`, all that fits is looked at for each page: ask for less than all",
        ),
      order: z.enum(["asc", "desc"]).default("asc").describe("what has no such moment comes last either way"),
      ...page,
      cursor: name
        .regex(/^([^_]{1,40}_)?[0-9a-f-]{36}$/i, "must be a cursor of the same list")
        .optional()
        .describe("`cursor` of the page before"),
    }),
    replies: { 200: z.object({ tasks: z.array(task), cursor: nextCursor }) },
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
      after: z.int().min(0).default(0).describe("the row_version after which to go on"),
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
    summary: "What you may do with a task now, and why not",
    replies: { 200: z.object({ actions: z.array(explanation) }) },
    refusals: ["TASK_NOT_FOUND", "NOT_SET_UP"],
  },
  getTaskLinks: {
    method: "GET",
    path: "/api/tasks/{id}/links",
    group: "Tasks",
    summary: "What a task waits for and who waits for it, a few steps far, and its holds",
    replies: { 200: links },
    refusals: ["TASK_NOT_FOUND"],
  },
  getGraph: {
    method: "GET",
    path: "/api/graph",
    group: "Tasks",
    summary: "Who waits for whom: what is unfinished first, and the newest of it",
    about:
      "Of tasks that wait for others, or that others wait for; of very many tasks only the newest are looked at.",
    query: z.object({
      project_id: name.optional(),
      lifecycle: name.optional(),
      finished: z.boolean().default(true).describe("false: only what is unfinished"),
      limit: z.int().min(1).max(500).default(300),
    }),
    replies: { 200: graph },
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
    refusals: LEAST_RULED,
    ruled: true,
  },
  moveTasks: {
    method: "POST",
    path: "/api/transitions",
    group: "Tasks",
    summary: "Perform many actions, answered one by one in order",
    about:
      "A refusal of one does not undo the others: it stands in its place as a problem document. With `Idempotency-Key` every action without a client_event_id gets one that is made of it and of its place.",
    idempotent: true,
    body: z
      .array(transition.extend({ id: name.describe("the task's") }))
      .min(1)
      .max(MAX_BATCH),
    replies: { 200: z.array(z.union([moved, problem])) },
  },
});
