import { PawlProblem } from "../client/index.ts";
import { readPosition } from "./tool-context.ts";
import type { ToolContext, Task } from "./tool-context.ts";
import { labelsOf } from "./format-lifecycles.ts";
import { isSystemAction, formatTime } from "./format-task.ts";
import type { ToolReply } from "./tool.ts";

/** The tool, task and action of the refused call. */
export type RefusedCall = { tool: string; task_id?: string | undefined; action?: string | undefined };

type Advise = (context: ToolContext, problem: PawlProblem, call: RefusedCall) => string | Promise<string>;

/** Turns a refusal into a reply that an agent can act on: the situation, and what to do next. */
export async function adviseOnRefusal(
  context: ToolContext,
  error: unknown,
  call: RefusedCall,
): Promise<ToolReply> {
  if (!(error instanceof PawlProblem)) throw error;
  const { code, params } = error;
  const text = await adviceFor(context, error, call);
  const { next: _, ...rest } = params;
  return { text: `${code}: ${text}`, data: { code, ...rest }, refused: true };
}

async function adviceFor(context: ToolContext, problem: PawlProblem, call: RefusedCall): Promise<string> {
  const generic = `${sentence(problem.detail)} ${problem.next}`.trim();
  try {
    return (
      (await ADVICE[problem.code]?.(context, problem, call)) ??
      `${generic}${await openActions(context, call)}`
    );
  } catch (error) {
    // Advice needs further requests, which may fail.
    if (error instanceof PawlProblem) return generic;
    throw error;
  }
}

const ADVICE: Readonly<Record<string, Advise>> = {
  UNRESOLVED_BLOCKERS: async (context, { params, detail }) => {
    const blockers = Array.isArray(params.blockers) ? (params.blockers as Blocker[]) : [];
    if (blockers.length === 0) return `${sentence(detail)} Pick another task, or wait_for_changes.`;
    // Read the position first, so that waiting after it misses no change.
    const position = await readPosition(context);
    const shown = await Promise.all(
      blockers.slice(0, MAX_BLOCKERS).map((blocker) => formatBlocker(context, blocker)),
    );
    const more = blockers.length > MAX_BLOCKERS ? ` and ${blockers.length - MAX_BLOCKERS} more` : "";
    const dead = blockers.filter(({ final }) => final === true);
    const next =
      dead.length > 0
        ? `${dead.map(({ id }) => id).join(", ")} will never be done: have this task canceled, or create it again without that blocker.`
        : `Pick another task (claim_task), or wait_for_changes {after: ${position}} and try again.`;
    return `blocked by ${shown.join("; ")}${more}. ${next}`;
  },
  TASK_ALREADY_CLAIMED: async (context, { detail }, { task_id }) => {
    const task = await findVisible(context, task_id);
    if (!task) return `${sentence(detail)} ${TAKE_ANOTHER}`;
    const [me, { statuses }] = await Promise.all([context.me(), context.lifecycle(task.lifecycle)]);
    const state = `${task.status} since ${formatTime(task.entered_at, context.now())}`;
    const finished = statuses.some(({ name, final }) => final && name === task.status);
    if (finished) return `it is finished: ${state}. ${TAKE_ANOTHER}`;
    if (task.assigned_to === me.id)
      return `it is yours already, ${state}. Continue with it: get_task shows what you may do.`;
    return `${task.assigned_to ?? "someone else"} claimed it first; it is ${state}. ${TAKE_ANOTHER}`;
  },
  LEASE_LOST: () =>
    "your lease on this task has ended and another worker may have it. Stop working on it, do not report its result, and take another task with claim_task.",
  LEASE_TOKEN_REQUIRED: () =>
    "only the holder of the task's lease may perform this action. Send the lease_token from the reply to your claim; if you have not claimed the task, call claim_task first.",
  VERSION_CONFLICT: async (context, { detail }, { task_id }) => {
    const task = await findVisible(context, task_id);
    if (!task) return `${sentence(detail)} Read it again with get_task, then decide.`;
    return `the task has changed: it is ${task.status} at row_version ${task.row_version}. Read it with get_task; if your action is still right, send it again with expected_row_version ${task.row_version}, or without.`;
  },
  IDEMPOTENCY_CONFLICT: () =>
    "you used this request_id for another call. A repetition must have the same arguments; for a new call, use a new request_id or none.",
  FORBIDDEN: async (context, { detail }, call) => {
    const me = await context.me();
    const roles = me.roles.length > 0 ? me.roles.join(", ") : "none";
    return `${sentence(detail)} You are ${me.id} (roles: ${roles})${await whoMay(context, call)}.${await openActions(context, call)} Repeating the call will not help.`;
  },
  COMMENT_REQUIRED: (_, __, { tool }) =>
    `send the same ${tool} call again with \`comment\`: one sentence with the reason, for the next reader of the task.`,
  VALIDATION_ERROR: (_, { detail, params }, { tool }) => {
    const errors = Array.isArray(params.errors) ? (params.errors as { path: string; message: string }[]) : [];
    const fields = errors.map(({ path, message }) =>
      path === "" ? message : `${argumentPath(tool, path, params)}: ${message}`,
    );
    return `${fields.length > 0 ? sentence(fields.join("; ")) : sentence(detail)} Correct that and call ${tool} again.`;
  },
  TASK_NOT_FOUND: (_, __, { task_id }) =>
    `there is no task ${task_id ?? "with that id"} that you may see. Ids are complete UUIDs; list_tasks prints the ids of the tasks you may see.`,
  UNKNOWN_LIFECYCLE: async (context, { detail }) => {
    const { lifecycles } = await context.client.listLifecycles(undefined, { signal: context.signal });
    return `${sentence(detail)} Lifecycles: ${lifecycles.map(({ name }) => name).join(", ")}.`;
  },
  CYCLIC_DEPENDENCY: (_, { detail }) =>
    `${sentence(detail)} Nothing was created. Remove one of these tasks from blocked_by.`,
  INVALID_TOKEN: () => TOKEN_ADVICE,
  MEMBER_INACTIVE: () =>
    "your member is deactivated. Stop, and inform the person who runs you: an admin can activate it.",
  RATE_LIMITED: (_, { retryAfter }) =>
    `too many calls. Wait ${retryAfter ?? 1} s, then send the same call again.`,
  UNAVAILABLE: (_, { detail }) =>
    `${sentence(detail)} It is not known whether the call was executed. Send exactly the same call again in a few seconds: it is not executed twice.`,
};

/** Translates the path of a field in the API into its path in the tool's arguments. */
function argumentPath(tool: string, path: string, { place }: PawlProblem["params"]): string {
  if (tool === "create_tasks" && typeof place === "number") return `tasks.${place}.${path}`;
  return tool === "act" && !ACT_FIELDS.has(path) ? `payload.${path}` : path;
}

const ACT_FIELDS = new Set(["action", "comment", "expected_row_version", "lease_token", "client_event_id"]);

const TAKE_ANOTHER = "Take another: claim_task without task_id takes the next free one.";
const TOKEN_ADVICE =
  "the token is unknown or revoked. Stop, and inform the person who runs you: `pawl setup` creates a new one.";
const MAX_BLOCKERS = 5;

type Blocker = { id: string; title?: string; status: string; final?: boolean };

async function formatBlocker(context: ToolContext, { id, title, status }: Blocker): Promise<string> {
  const task = await findVisible(context, id);
  if (!task) return `${id}, a task you may not see`;
  const by = task.assigned_to === null ? "and unassigned" : `by ${task.assigned_to}`;
  return `${id} "${title ?? task.title}", still ${task.status || status} ${by} since ${formatTime(task.entered_at, context.now())}`;
}

/** Returns null if the task does not exist or the caller may not see it. */
async function findVisible(context: ToolContext, id: string | undefined): Promise<Task | null> {
  if (id === undefined) return null;
  try {
    return await context.client.getTask({ id }, { signal: context.signal });
  } catch (error) {
    if (error instanceof PawlProblem && error.status === 404) return null;
    throw error;
  }
}

/** Describes the actors that may perform an action from the task's status. */
async function whoMay(context: ToolContext, { task_id, action }: RefusedCall): Promise<string> {
  const task = await findVisible(context, task_id);
  if (!task || action === undefined) return "";
  const lifecycle = await context.lifecycle(task.lifecycle);
  const { rules } = lifecycle;
  const who = rules
    .filter((rule) => rule.action === action && rule.from.includes(task.status))
    .flatMap((rule) => rule.who);
  if (who.length === 0) return "";
  const owners = [
    `created by ${task.created_by ?? "the system"}`,
    task.assigned_to === null ? "unassigned" : `held by ${task.assigned_to}`,
  ];
  return `; ${action} is allowed for: ${labelsOf(lifecycle, who)} (${owners.join(", ")})`;
}

/** Lists the actions that the caller may perform instead. */
async function openActions(context: ToolContext, { task_id }: RefusedCall): Promise<string> {
  const task = await findVisible(context, task_id);
  if (!task) return "";
  const [{ actions }, lifecycle] = await Promise.all([
    context.client.explainTask({ id: task.id }, { signal: context.signal }),
    context.lifecycle(task.lifecycle),
  ]);
  const open = actions.filter(({ allowed, action }) => allowed && !isSystemAction(lifecycle, action));
  const now = `It is ${task.status} now`;
  return open.length > 0
    ? ` ${now}; you may: ${open.map(({ action }) => action).join(", ")}.`
    : ` ${now}, and there is no action that you may perform.`;
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
