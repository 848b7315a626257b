import { PawlProblem } from "../client/index.ts";
import { readPosition } from "./desk.ts";
import type { Desk, Task } from "./desk.ts";
import { labelsOf } from "./tell-lifecycles.ts";
import { isTheSystems, tellTime } from "./tell-task.ts";
import type { Told } from "./tool.ts";

/** What the refused call was about. */
export type About = { tool: string; task_id?: string | undefined; action?: string | undefined };

type Advise = (desk: Desk, problem: PawlProblem, about: About) => string | Promise<string>;

/** A refusal as something an agent can act on: what is the case, and what to do next. */
export async function advise(desk: Desk, error: unknown, about: About): Promise<Told> {
  if (!(error instanceof PawlProblem)) throw error;
  const { code, params } = error;
  const text = await adviceOn(desk, error, about);
  const { next: _, ...rest } = params;
  return { text: `${code}: ${text}`, data: { code, ...rest }, refused: true };
}

async function adviceOn(desk: Desk, problem: PawlProblem, about: About): Promise<string> {
  const usual = `${sentence(problem.detail)} ${problem.next}`.trim();
  try {
    return (
      (await ADVICE[problem.code]?.(desk, problem, about)) ?? `${usual}${await openActions(desk, about)}`
    );
  } catch (error) {
    // Advice is asked of the same server, which may be gone by now: then the plain words must do.
    if (error instanceof PawlProblem) return usual;
    throw error;
  }
}

const ADVICE: Readonly<Record<string, Advise>> = {
  UNRESOLVED_BLOCKERS: async (desk, { params, detail }) => {
    const blockers = Array.isArray(params.blockers) ? (params.blockers as Blocker[]) : [];
    if (blockers.length === 0) return `${sentence(detail)} Pick another task, or wait_for_changes.`;
    // The position first: what changes while we look is then told to whoever waits after it.
    const position = await readPosition(desk);
    const told = await Promise.all(
      blockers.slice(0, MOST_BLOCKERS).map((blocker) => tellBlocker(desk, blocker)),
    );
    const more = blockers.length > MOST_BLOCKERS ? ` and ${blockers.length - MOST_BLOCKERS} more` : "";
    const dead = blockers.filter(({ final }) => final === true);
    const next =
      dead.length > 0
        ? `${dead.map(({ id }) => id).join(", ")} will never be done: have this task cancelled, or create it anew without it.`
        : `Pick another task (claim_task), or wait_for_changes {after: ${position}} and try again.`;
    return `blocked by ${told.join("; ")}${more}. ${next}`;
  },
  TASK_ALREADY_CLAIMED: async (desk, { detail }, { task_id }) => {
    const task = await find(desk, task_id);
    if (!task) return `${sentence(detail)} ${TAKE_ANOTHER}`;
    const [me, { statuses }] = await Promise.all([desk.me(), desk.lifecycle(task.lifecycle)]);
    const state = `${task.status} since ${tellTime(task.entered_at, desk.now())}`;
    const finished = statuses.some(({ name, final }) => final && name === task.status);
    if (finished) return `it is finished: ${state}. ${TAKE_ANOTHER}`;
    if (task.assigned_to === me.id)
      return `it is yours already, ${state}. Go on with it: get_task says what you may do.`;
    return `${task.assigned_to ?? "somebody"} was first, it is ${state}. ${TAKE_ANOTHER}`;
  },
  LEASE_LOST: () =>
    "your lease on this task is over and somebody else may work on it by now. Stop working on it, do not report its result, and take another with claim_task.",
  LEASE_TOKEN_REQUIRED: () =>
    "this action is for whoever holds the task's lease. Send the lease_token that claim_task printed when you took it; if you never claimed it, claim_task first.",
  VERSION_CONFLICT: async (desk, { detail }, { task_id }) => {
    const task = await find(desk, task_id);
    if (!task) return `${sentence(detail)} Read it again with get_task and decide anew.`;
    return `the task has changed meanwhile: it is ${task.status} at row_version ${task.row_version}. Read it with get_task; if your action is still right, send it again with expected_row_version ${task.row_version}, or without.`;
  },
  IDEMPOTENCY_CONFLICT: () =>
    "you used this request_id for another call. A repetition must be the same in every argument; for a new intention take a new request_id, or none.",
  FORBIDDEN: async (desk, { detail }, about) => {
    const me = await desk.me();
    const roles = me.roles.length > 0 ? me.roles.join(", ") : "none";
    return `${sentence(detail)} You are ${me.id} (roles: ${roles})${await whoMay(desk, about)}.${await openActions(desk, about)} Repeating it will not help.`;
  },
  COMMENT_REQUIRED: (_, __, { tool }) =>
    `send the same ${tool} call again with \`comment\`: one sentence that says why, for whoever reads the task next.`,
  VALIDATION_ERROR: (_, { detail, params }, { tool }) => {
    const errors = Array.isArray(params.errors) ? (params.errors as { path: string; message: string }[]) : [];
    const fields = errors.map(({ path, message }) =>
      path === "" ? message : `${placeOf(tool, path, params)}: ${message}`,
    );
    return `${fields.length > 0 ? sentence(fields.join("; ")) : sentence(detail)} Mend that and call ${tool} again.`;
  },
  TASK_NOT_FOUND: (_, __, { task_id }) =>
    `there is no task ${task_id ?? "of that id"} that you may see. Ids are whole uuids; list_tasks prints those of the tasks you may see.`,
  UNKNOWN_LIFECYCLE: async (desk, { detail }) => {
    const { lifecycles } = await desk.client.listLifecycles(undefined, { signal: desk.signal });
    return `${sentence(detail)} There are ${lifecycles.map(({ name }) => name).join(", ")}.`;
  },
  CYCLIC_DEPENDENCY: (_, { detail }) =>
    `${sentence(detail)} Nothing was created. Leave out one of these blocked_by.`,
  INVALID_TOKEN: () => TOKEN_ADVICE,
  MEMBER_INACTIVE: () =>
    "your member is switched off. Stop, and tell the person who runs you: an admin can make it active.",
  RATE_LIMITED: (_, { retryAfter }) =>
    `too many calls. Wait ${retryAfter ?? 1} s, then send the same call again.`,
  UNAVAILABLE: (_, { detail }) =>
    `${sentence(detail)} Whether the call was done is not known; send the very same call again in some seconds: it is not done twice.`,
};

/** Where a field stands in the tool's own arguments. */
function placeOf(tool: string, path: string, { place }: PawlProblem["params"]): string {
  if (tool === "create_tasks" && typeof place === "number") return `tasks.${place}.${path}`;
  return tool === "act" && !ACT_FIELDS.has(path) ? `payload.${path}` : path;
}

const ACT_FIELDS = new Set(["action", "comment", "expected_row_version", "lease_token", "client_event_id"]);

const TAKE_ANOTHER = "Take another: claim_task without task_id gives the next free one.";
const TOKEN_ADVICE =
  "the token is unknown or revoked. Stop, and tell the person who runs you: `pawl setup` makes a new one.";
const MOST_BLOCKERS = 5;

type Blocker = { id: string; title?: string; status: string; final?: boolean };

async function tellBlocker(desk: Desk, { id, title, status }: Blocker): Promise<string> {
  const task = await find(desk, id);
  if (!task) return `${id}, a task you may not see`;
  const by = task.assigned_to === null ? "nobody's" : `by ${task.assigned_to}`;
  return `${id} "${title ?? task.title}", still ${task.status || status} ${by} since ${tellTime(task.entered_at, desk.now())}`;
}

/** null: not there, or not for the caller's eyes. */
async function find(desk: Desk, id: string | undefined): Promise<Task | null> {
  if (id === undefined) return null;
  try {
    return await desk.client.getTask({ id }, { signal: desk.signal });
  } catch (error) {
    if (error instanceof PawlProblem && error.status === 404) return null;
    throw error;
  }
}

/** Who the rules name for an action. */
async function whoMay(desk: Desk, { task_id, action }: About): Promise<string> {
  const task = await find(desk, task_id);
  if (!task || action === undefined) return "";
  const lifecycle = await desk.lifecycle(task.lifecycle);
  const { rules } = lifecycle;
  const who = rules
    .filter((rule) => rule.action === action && rule.from.includes(task.status))
    .flatMap((rule) => rule.who);
  if (who.length === 0) return "";
  const owners = [`created by ${task.created_by ?? "the system"}`, `held by ${task.assigned_to ?? "nobody"}`];
  return `; ${action} is for: ${labelsOf(lifecycle, who)} (${owners.join(", ")})`;
}

/** What may be done instead. */
async function openActions(desk: Desk, { task_id }: About): Promise<string> {
  const task = await find(desk, task_id);
  if (!task) return "";
  const [{ actions }, lifecycle] = await Promise.all([
    desk.client.explainTask({ id: task.id }, { signal: desk.signal }),
    desk.lifecycle(task.lifecycle),
  ]);
  const open = actions.filter(({ allowed, action }) => allowed && !isTheSystems(lifecycle, action));
  const now = `It is ${task.status} now`;
  return open.length > 0
    ? ` ${now}; you may: ${open.map(({ action }) => action).join(", ")}.`
    : ` ${now}, and there is nothing you may do with it.`;
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
