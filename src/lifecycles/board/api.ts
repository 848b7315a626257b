import { z } from "zod";
import { defineRoutes, fields, onWire, onWireOrNull, taskRoutes } from "../../api/index.ts";
import { editableFields } from "./extensions.ts";
import { board, creationFields } from "./lifecycle.ts";
import { PRIORITIES } from "./priorities.ts";

const { id, moment, name, once, text, version } = fields;

const STATUSES = ["NEW", "IN_PROGRESS", "BLOCKED", "STUCK", "DONE", "CANCELLED"] as const;
const SORTS = ["priority", "created_at", "updated_at", "status_deadline_at"] as const;

const status = z.enum(STATUSES);
const priority = z.enum(PRIORITIES);
const visibility = z.enum(["public", "private"]);
const group = "board";

const listed = z
  .object({
    id: z.uuid(),
    workspace_id: z.string(),
    title: z.string(),
    status,
    priority,
    visibility,
    labels: z.array(z.string()),
    creator_id: z.string().nullable(),
    assignee_id: z.string().nullable(),
    blocked_by: z.array(z.uuid()),
    has_unresolved_blockers: z.boolean(),
    is_overdue: z.boolean().describe("its deadline has passed; the next sweep makes it STUCK"),
    status_deadline_at: moment.nullable(),
    row_version: z.int(),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: "BoardTaskInList" });

const task = listed.extend({ description: z.string() }).meta({ id: "BoardTask" });

const event = z
  .object({
    id: z.string(),
    type: z.string(),
    actor_id: z.string().nullable().describe("null: the system"),
    actor_name: z.string().nullable(),
    comment: z.string().nullable(),
    old_status: status.nullable(),
    new_status: status.nullable(),
    changes: z
      .record(z.string(), z.object({ old: z.unknown(), new: z.unknown() }))
      .nullable()
      .describe("the changed fields of `edited` and `reassigned`, else null"),
    created_at: moment,
  })
  .meta({ id: "BoardEvent" });

const workspace_id = fields.projectId;
const comment = text.nullish().describe("the reason, for the next agent to read");
const move = z.object({ comment, ...version, ...once });
const moved = z.object({ task, event: event.nullable() });

const deadlines = z.object({ NEW: z.number(), IN_PROGRESS: z.number(), BLOCKED: z.number() });
const workspace = z
  .object({
    id: z.string(),
    name: z.string(),
    status_deadlines: deadlines.describe("minutes"),
    new_deadline_waits_for_blockers: z
      .boolean()
      .describe("whether the deadline of NEW starts only when the last blocker is done"),
  })
  .meta({ id: "Workspace" });

const minutes = z.number().nonnegative().nullable();
const agentStats = z.object({
  agent_id: z.string(),
  agent_name: z.string(),
  tasks_completed: z.int(),
  tasks_cancelled: z.int(),
  tasks_stuck_count: z.int(),
  tasks_in_progress: z.int(),
  avg_lead_time_minutes: minutes,
  avg_cycle_time_minutes: minutes,
  tasks_taken_over_from_agent: z.int(),
  tasks_taken_over_by_agent: z.int(),
  escalations_initiated: z.int(),
  escalations_received: z.int(),
});
const workspaceStats = z.object({
  total_tasks_created: z.int(),
  tasks_by_status: z.record(status, z.int()),
  avg_lead_time_minutes: minutes,
  avg_cycle_time_minutes: minutes,
  overdue_count: z.int(),
  stuck_count: z.int(),
  completion_rate_percent: z.number(),
});

const MOVE = ["TASK_NOT_FOUND", "INVALID_TRANSITION", "VERSION_CONFLICT", "COMMENT_REQUIRED"] as const;
const moves = {
  method: "POST",
  group,
  idempotent: true,
  versioned: true,
  ruled: true,
  body: move,
  replies: { 200: moved },
  refusals: MOVE,
} as const;

const TASKS = taskRoutes({
  prefix: "/api/board",
  lifecycle: board,
  task,
  event,
  project: "workspace_id",
  creation: creationFields.extend({ workspace_id }),
  routes: {
    list: {
      summary: "The tasks of a workspace",
      query: z.object({
        workspace_id: id.optional(),
        status: z.array(status).max(100).optional(),
        assignee: id.optional().describe("a member's id, or `me`"),
        unassigned: z.boolean().optional(),
        visibility: visibility.optional(),
        priority: z.array(priority).max(100).optional(),
        label: z.array(text.max(50)).max(20).optional().describe("tasks with all of these labels"),
        q: text
          .max(200)
          .optional()
          .describe(
            'words of the title and description, or of a comment; "a phrase", or, -without; at most 1,000 tasks are found',
          ),
        overdue: z.boolean().optional(),
        has_unresolved_blockers: z.boolean().optional(),
        sort: z
          .array(z.enum(SORTS.flatMap((field) => [field, `-${field}`] as const)))
          .max(SORTS.length)
          .optional()
          .describe("default `-priority,created_at`; a minus reverses the order"),
        limit: z.int().min(1).max(200).default(50),
        offset: z.int().min(0).max(1_000_000).default(0),
      }),
      replies: {
        200: z.object({ tasks: z.array(listed), total: z.int(), limit: z.int(), offset: z.int() }),
      },
      refusals: ["NOT_FOUND"],
    },
    create: {},
    batch: {},
    get: {
      summary: "A task with its journal, oldest first",
      replies: { 200: z.object({ task, events: z.array(event) }) },
    },
    move: { body: move.extend({ action: name }), refusals: MOVE },
  },
});

const MOVE_ROUTES = defineRoutes({
  setBoardStatus: {
    ...moves,
    method: "PATCH",
    path: "/api/board/tasks/{id}/status",
    permission: "task.comment",
    summary: "Change the status",
    about: "Picks the rule that leads to the status. claim, escalate and take_over have their own routes.",
    body: move.extend({ status }),
  },
  claimBoardTask: {
    ...moves,
    path: "/api/board/tasks/{id}/claim",
    permission: "task.claim",
    summary: "Take a free task",
  },
  escalateBoardTask: {
    ...moves,
    path: "/api/board/tasks/{id}/escalate",
    permission: "task.escalate",
    summary: "Block a task that another member holds",
  },
  takeOverBoardTask: {
    ...moves,
    path: "/api/board/tasks/{id}/takeover",
    permission: "task.take_over",
    summary: "Take over a task that is STUCK",
  },
  editBoardTask: {
    ...moves,
    method: "PATCH",
    path: "/api/board/tasks/{id}",
    permission: "task.edit",
    summary: "Change the title, description, priority or labels",
    about:
      "For the creator, the assignee, leads and admins, until the task is finished. The journal keeps the old and the new values. Fields that are left out stay the same. Send `expected_row_version` to be refused if the task has changed since you read it.",
    body: move.extend(editableFields),
  },
  reassignBoardTask: {
    ...moves,
    path: "/api/board/tasks/{id}/reassign",
    permission: "task.reassign",
    summary: "Give a task to another member",
    about:
      "For the creator, the assignee, leads and admins, until the task is finished. Status and deadline stay the same. The former assignee can no longer act as assignee.",
    body: move.extend({ assignee_id: name }),
    refusals: [...MOVE, "ALREADY_ASSIGNED"],
  },
  commentBoardTask: {
    ...moves,
    path: "/api/board/tasks/{id}/comments",
    permission: "task.comment",
    summary: "Comment on a task, finished or not",
    replies: { 201: moved },
  },
  claimNextBoardTask: {
    method: "POST",
    path: "/api/board/claim-next",
    group,
    permission: "task.claim",
    summary: "Take the best free task, or several",
    idempotent: true,
    ruled: true,
    body: z.object({
      workspace_id,
      comment,
      limit: z.int().min(1).max(100).default(1),
      priority: priority.nullish().describe("the minimum priority"),
      ...once,
    }),
    replies: { 200: z.object({ tasks: z.array(task) }) },
    refusals: ["COMMENT_REQUIRED", "NOT_FOUND"],
  },
});

const WORKSPACE_ROUTES = defineRoutes({
  getWorkspace: {
    method: "GET",
    path: "/api/board/workspaces/{id}",
    group,
    summary: "A workspace with its deadlines",
    replies: { 200: workspace },
    refusals: ["NOT_FOUND"],
  },
  changeWorkspace: {
    method: "PATCH",
    path: "/api/board/workspaces/{id}",
    group,
    summary: "Change a workspace",
    about: "A new deadline applies from the next status change of a task.",
    access: "admin",
    idempotent: true,
    body: z.object({
      name: z.string().trim().min(1).max(200).optional(),
      status_deadlines: z
        .strictObject({
          NEW: z.number().positive().nullish(),
          IN_PROGRESS: z.number().positive().nullish(),
          BLOCKED: z.number().positive().nullish(),
        })
        .optional()
        .describe("minutes, fractions allowed; null restores the default"),
      new_deadline_waits_for_blockers: z.boolean().nullish().describe("default false; null restores it"),
      ...once,
    }),
    replies: { 200: workspace },
    refusals: ["NOT_FOUND"],
  },
  getBoardStats: {
    method: "GET",
    path: "/api/board/stats",
    group,
    summary: "Statistics of a workspace and its agents",
    about:
      "Counts events of the period on tasks that you can see. in_progress, overdue and stuck are current; `tasks_by_status` and the completion rate cover the tasks created in the period.",
    query: z.object({
      workspace_id: id.optional(),
      period: z.enum(["day", "week", "month", "all"]).default("week"),
      agent_id: id.optional(),
    }),
    replies: {
      200: z.object({
        period: z.string(),
        period_start: moment.nullable(),
        period_end: moment,
        agents: z.array(agentStats),
        workspace: workspaceStats,
      }),
    },
    refusals: ["NOT_FOUND"],
  },
});

/** The board's routes: tasks, their moves, and workspaces. */
export const BOARD_ROUTES = { ...TASKS.table, ...MOVE_ROUTES, ...WORKSPACE_ROUTES };

export type ListedBoardTask = z.output<typeof listed>;
export type BoardTask = z.output<typeof task>;
export type BoardEvent = z.output<typeof event>;
export type BoardStatus = z.output<typeof status>;
export type BoardSort = (typeof SORTS)[number];
export { MOVE_ROUTES, onWire, onWireOrNull, STATUSES, TASKS, WORKSPACE_ROUTES };
