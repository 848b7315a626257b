import { z } from "zod";
import {
  defineRoutes,
  eventStream,
  fields,
  media,
  onWire,
  onWireOrNull,
  taskRoutes,
} from "../../api/index.ts";
import { diff, event, output, run, status, STATUSES, task, usage } from "./code-shapes.ts";
import { creationFields } from "./fields.ts";
import { code } from "./lifecycle.ts";

const { givenMoment, id, moment, once } = fields;

const group = "code";
const lease_token = z.string().min(1).max(200);

const creation = creationFields.extend({
  project_id: fields.projectId,
  on_failure: z
    .enum(["wait", "proceed", "fail"])
    .optional()
    .describe("for blockers without their own policy"),
  available_at: givenMoment.nullish().describe("cannot be claimed before"),
});

const forAgents = { confined: ["task"] } as const;

const TASKS = taskRoutes({
  prefix: "/api/code",
  lifecycle: code,
  task,
  event,
  creation,
  routes: {
    list: {},
    create: forAgents,
    batch: {
      ...forAgents,
      about:
        "`ref` names a task inside the request; `blocked_by` takes ids and refs, alone or as `{task, on_failure}`.",
    },
    get: {
      ...forAgents,
      summary: "A task with its attempts, and the end of its log",
      replies: {
        200: task.extend({
          runs: z.array(run),
          log: z.string().describe("the end of the last attempt's output"),
        }),
      },
    },
    move: forAgents,
    claim: { replies: { 200: z.object({ tasks: z.array(task.extend({ lease_token: z.string() })) }) } },
  },
});

const WORKER_ROUTES = defineRoutes({
  retryCodeTask: {
    method: "POST",
    path: "/api/code/tasks/{id}/retry",
    group,
    permission: "task.create",
    summary: "Try a failed task again",
    about:
      "Creates a copy with `retry_of`, because a finished task never changes. Tasks that waited for the failed one wait for the copy.",
    idempotent: true,
    ruled: true,
    body: z.object({ max_attempts: z.int().min(1).max(1_000).nullish(), ...once }),
    replies: { 201: task },
    refusals: ["TASK_NOT_FOUND", "NOT_FAILED"],
  },
  appendCodeOutput: {
    method: "POST",
    path: "/api/code/tasks/{id}/output",
    group,
    summary: "Append to an agent's output",
    about:
      "For the worker that holds the lease. The server keeps 4 MB per attempt; the worker's log file contains everything.",
    body: z.object({
      lease_token,
      run: z.int().min(1).describe("the task's row_version at the start of the attempt"),
      text: z.string().min(1).max(65_536),
    }),
    replies: {
      200: z.object({ kept: z.boolean().describe("false: this attempt has reached the limit") }),
    },
    refusals: ["TASK_NOT_FOUND", "LEASE_LOST"],
  },
  saveCodeDiff: {
    method: "POST",
    path: "/api/code/tasks/{id}/diff",
    group,
    summary: "Store the changes of an attempt",
    about: "For the worker that holds the lease. The server keeps the latest diff of a task.",
    body: diff.omit({ created_at: true }).extend({ lease_token }),
    replies: { 200: z.object({ kept: z.literal(true) }) },
    refusals: ["TASK_NOT_FOUND", "LEASE_LOST"],
  },
  makeAgentToken: {
    method: "POST",
    path: "/api/code/tasks/{id}/agent-token",
    group,
    summary: "A token for the agent that works on a task",
    about:
      "For the worker that holds the lease. The token can read this task, comment on it, report an obstacle, and create tasks in its project.",
    body: z.object({ lease_token, lasts_seconds: z.int().min(1).max(604_800).default(86_400) }),
    replies: { 201: z.object({ token: z.string(), expires_in_seconds: z.int() }) },
    refusals: ["TASK_NOT_FOUND", "LEASE_LOST"],
  },
});

const VIEW_ROUTES = defineRoutes({
  readCodeLog: {
    method: "GET",
    path: "/api/code/tasks/{id}/log",
    group,
    summary: "The output of an attempt",
    confined: ["task"],
    query: z.object({ run: z.int().min(1).optional().describe("default: the last one") }),
    replies: { 200: media("text/plain", z.string()) },
    refusals: ["TASK_NOT_FOUND"],
  },
  readCodeDiff: {
    method: "GET",
    path: "/api/code/tasks/{id}/diff",
    group,
    summary: "The changes of the latest attempt",
    confined: ["task"],
    replies: { 200: diff },
    refusals: ["TASK_NOT_FOUND", "NO_DIFF"],
  },
  streamCodeOutput: {
    method: "GET",
    path: "/api/code/tasks/{id}/output",
    group,
    summary: "The live output of a task's agents",
    about: "Server-sent events, from the beginning or `after` a position.",
    resumable: true,
    query: z.object({ after: z.int().min(0).optional() }),
    replies: { 200: eventStream(output) },
    refusals: ["TASK_NOT_FOUND"],
  },
  getCodeGraph: {
    method: "GET",
    path: "/api/code/graph",
    group,
    summary: "Tasks and their dependencies",
    query: z.object({
      project_id: id.optional(),
      finished: z.boolean().default(true).describe("false: only unfinished tasks and their blockers"),
      limit: z.int().min(1).max(2_000).default(500).describe("maximum number of tasks, newest first"),
    }),
    replies: {
      200: z.object({
        nodes: z.array(
          z.object({
            id: z.uuid(),
            title: z.string(),
            status,
            priority: z.int(),
            attempts: z.int(),
            worker: z.string().nullable(),
            needs_attention: z.boolean(),
            retry_of: z.string().nullable(),
          }),
        ),
        edges: z.array(
          z.object({
            from: z.uuid().describe("the blocker"),
            to: z.uuid().describe("the task that waits for it"),
            on_failure: z.enum(["wait", "proceed", "fail"]),
            resolved: z.boolean(),
          }),
        ),
        more: z.boolean().describe("there are older tasks"),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  getCodeUsage: {
    method: "GET",
    path: "/api/code/usage",
    group,
    summary: "Tokens and cost by day, agent or task",
    about: "Days are in UTC. A day, an agent or a task without any usage is left out.",
    query: z.object({
      project_id: id.optional(),
      by: z.enum(["day", "agent", "task"]).default("day"),
      days: z.int().min(1).max(3_650).default(30).describe("only the last days, with the current one"),
      limit: z.int().min(1).max(3_650).default(200),
    }),
    replies: {
      200: z.object({
        by: z.enum(["day", "agent", "task"]),
        rows: z.array(
          usage.extend({
            key: z.string().describe("the day, the agent, or the task's id"),
            title: z.string().nullable().describe("of the task"),
            runs: z.int(),
            tasks: z.int(),
          }),
        ),
        today: z.object({ cost_usd: z.number(), tokens: z.number() }),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  getCodeSummary: {
    method: "GET",
    path: "/api/code/summary",
    group,
    summary: "Progress, and the tasks in progress",
    query: z.object({
      project_id: id.optional(),
      repository: z.string().max(1_000).optional().describe("only its tasks, and those of no repository"),
    }),
    replies: {
      200: z.object({
        by_status: z.record(status, z.int()),
        total: z.int(),
        needs_attention: z.int(),
        stuck: z.int(),
        held: z.int().describe("ready tasks that are on hold"),
        budget_spent: z
          .string()
          .nullable()
          .describe("why no task is claimed today; null: today's budget is not spent"),
        at_work: z.array(
          z.object({
            task_id: z.uuid(),
            title: z.string(),
            status,
            worker: z.string().nullable(),
            branch: z.string().nullable(),
            attempts: z.int(),
            since: moment,
            heartbeat_at: moment.nullable(),
            stuck: z.boolean(),
            last_line: z.string().nullable(),
          }),
        ),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
});

/** The routes of the code lifecycle: for tasks, for workers, and for views. */
export const CODE_ROUTES = { ...TASKS.table, ...WORKER_ROUTES, ...VIEW_ROUTES };

export type {
  Blocker,
  CodeDiff,
  CodeEvent,
  CodeOutput,
  CodeRun,
  CodeStatus,
  CodeTask,
} from "./code-shapes.ts";
export { onWire, onWireOrNull, STATUSES, TASKS, VIEW_ROUTES, WORKER_ROUTES };
