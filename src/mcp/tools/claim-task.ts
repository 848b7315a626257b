import { z } from "zod";
import type { ReplyOf, ROUTES } from "../../api/index.ts";
import { readPosition } from "../desk.ts";
import type { Desk, Task } from "../desk.ts";
import { REPEATED_WITHIN_MS } from "../recent-claims.ts";
import { namedKey, printOf } from "../repeat-key.ts";
import { tellPools } from "../tell-lifecycles.ts";
import { briefOf, tellFully, tellNext } from "../tell-task.ts";
import { comment, name, requestId, taskId, tool } from "../tool.ts";
import type { Told } from "../tool.ts";
import { performAction, tellLease } from "./act.ts";

const input = z.strictObject({
  task_id: taskId.optional().describe("this very task; the next free one unless given"),
  lifecycle: name.optional().describe("of the next free one"),
  project_id: name.optional(),
  least_priority: z.int().optional(),
  limit: z.int().min(1).max(20).default(1).describe("how many at most"),
  comment: comment.describe("what you are about to do; the board demands it"),
  wait_seconds: z.number().min(0).max(50).default(0).describe("wait for a task to become free"),
  request_id: requestId,
});
type Given = z.output<typeof input>;
type Claimed = ReplyOf<typeof ROUTES.claimTasks>;

export const claimTask = tool({
  name: "claim_task",
  title: "Claim a task",
  describe: (known) =>
    `Takes a task for you to work on: the best free one of a lifecycle, or the one you name. Nobody else gets it. Repeating the call is safe: without request_id you get the task again that you took less than 2 minutes ago and have not acted on; to take one more meanwhile, give a new request_id for each, or a limit. ${tellPools(known)}`,
  input,
  run: async (desk, given) => {
    if (given.task_id !== undefined) return claimThis(desk, given.task_id, given);
    const lifecycle = await poolNamed(desk, given.lifecycle);
    if (typeof lifecycle !== "string") return lifecycle;
    return claimNext(desk, { ...given, lifecycle });
  },
});

async function claimThis(desk: Desk, task_id: string, { comment, request_id }: Given): Promise<Told> {
  const task = await desk.client.getTask({ id: task_id }, { signal: desk.signal });
  const action = await poolAction(desk, task.lifecycle);
  if (action === null)
    return {
      text: `Tasks of ${task.lifecycle} are not claimed. get_task shows what you may do with this one.`,
      refused: true,
    };
  return performAction(desk, "claim_task", { task_id, action, comment, request_id });
}

async function claimNext(desk: Desk, given: Given & { lifecycle: string }): Promise<Told> {
  const { request_id, wait_seconds: _, ...meant } = given;
  const me = await desk.me();
  if (request_id !== undefined)
    return tellClaimed(desk, given, await claim(desk, given, namedKey(me.id, "claim_task", request_id)));
  const print = printOf([me.org_id, me.id, meant]);
  const met = desk.claims.meet(print, desk.now(), () => takenJustNow(desk, given.lifecycle, me.id));
  const held = await met.held.catch((error: unknown) => {
    desk.claims.forget(print);
    // He who looked has hung up; then we look ourselves.
    if (met.again && !desk.signal.aborted) return null;
    throw error;
  });
  if (held === null) return claimNext(desk, given);
  if (held.length > 0 && (await areUntouched(desk, held))) return tellHeld(desk, held);
  const answer = await claim(desk, given, met.key);
  if (!met.again || (await areUntouched(desk, answer.tasks))) return tellClaimed(desk, given, answer);
  const { key } = desk.claims.follow(print, met, desk.now());
  return tellClaimed(desk, given, await claim(desk, given, key));
}

function claim(desk: Desk, given: Given & { lifecycle: string }, client_event_id: string): Promise<Claimed> {
  const { lifecycle, project_id, least_priority, limit, comment, wait_seconds } = given;
  const filter = least_priority === undefined ? undefined : { least_priority };
  return desk.client.claimTasks(
    { lifecycle, project_id, filter, limit, comment, wait_seconds, client_event_id },
    { signal: desk.signal },
  );
}

/** Whether the answer to an earlier claim still stands; an empty one always does, since it is decided anew. */
async function areUntouched({ client, signal }: Desk, claimed: readonly Task[]): Promise<boolean> {
  const now = await Promise.all(claimed.map(({ id }) => client.getTask({ id }, { signal })));
  return now.every((task, place) => task.row_version === claimed[place]?.row_version);
}

/** What the caller has taken from the pool a moment ago and not touched since: the answer to that may be lost. */
async function takenJustNow(desk: Desk, lifecycle: string, me: string): Promise<Task[]> {
  const { client, signal, now } = desk;
  const [action, { statuses }] = await Promise.all([poolAction(desk, lifecycle), desk.lifecycle(lifecycle)]);
  const status = statuses.filter(({ final }) => !final).map(({ name }) => name);
  const { tasks } = await client.listTasks({ lifecycle, status, assigned_to: "me", limit: 200 }, { signal });
  const young = tasks.filter(({ entered_at }) => now() - Date.parse(entered_at) < REPEATED_WITHIN_MS);
  const taken = await Promise.all(
    young.map(async (task) => {
      const { events } = await client.listTaskEvents(
        { id: task.id, after: task.row_version - 1 },
        { signal },
      );
      const last = events.at(-1);
      return last?.action === action && last.actor_id === me ? [task] : [];
    }),
  );
  return taken.flat();
}

async function tellHeld(desk: Desk, tasks: readonly Task[]): Promise<Told> {
  const told = await Promise.all(
    tasks.map(async (task) => `${tellFully(task, desk)}\n${await tellNext(desk, task)}`),
  );
  const leased = tasks.some(({ lease }) => lease !== null);
  const lost = leased
    ? " Its lease_token is told in the answer to the claim only: if you do not have it, let the lease run out and claim again, with a request_id."
    : "";
  return {
    text: `You took this less than 2 minutes ago and have not acted on it, so it is told again and nothing more is taken; for one more give a request_id.${lost}\n${told.join("\n\n")}`,
    data: { tasks: tasks.map(briefOf) },
  };
}

async function tellClaimed(desk: Desk, given: Given & { lifecycle: string }, answer: Claimed): Promise<Told> {
  const { tasks, refusal } = answer;
  if (tasks.length === 0) {
    const after = await readPosition(desk);
    const why = refusal === null ? "" : ` The first that was looked at: ${refusal.code} ${refusal.detail}`;
    return {
      text: `No task of ${given.lifecycle} is free for you now.${why} Next: claim_task with wait_seconds, wait_for_changes {after: ${after}}, or list_tasks to see what the others wait for.`,
      data: { tasks: [], after },
    };
  }
  const told = await Promise.all(
    tasks.map(async (task) =>
      [
        tellFully(task, desk),
        ...(task.lease_token === null ? [] : [tellLease(task.lease_token, task.lease_until, desk.now())]),
        await tellNext(desk, task),
      ].join("\n"),
    ),
  );
  return {
    text: `Yours now:\n${told.join("\n\n")}`,
    data: {
      tasks: tasks.map((task) => ({
        ...briefOf(task),
        ...(task.lease_token === null
          ? {}
          : { lease_token: task.lease_token, lease_until: task.lease_until }),
      })),
    },
  };
}

/** The lifecycle to claim from; where there is but one, it need not be named. */
async function poolNamed({ client, signal }: Desk, wanted: string | undefined): Promise<string | Told> {
  const { lifecycles } = await client.listLifecycles(undefined, { signal });
  if (lifecycles.some(({ name }) => name === wanted)) return wanted as string;
  const pools = lifecycles.filter(({ has_pool }) => has_pool).map(({ name }) => name);
  const [only] = pools;
  if (wanted === undefined && only !== undefined && pools.length === 1) return only;
  const wrong = wanted === undefined ? "Say which" : `There is no lifecycle "${wanted}"`;
  return {
    text: `${wrong}: give \`lifecycle\`, one of ${pools.join(", ")}, or a task_id from list_tasks.`,
    refused: true,
  };
}

async function poolAction(desk: Desk, lifecycle: string): Promise<string | null> {
  const { pool } = (await desk.lifecycle(lifecycle)) as { pool?: { action: string } | null };
  return pool?.action ?? null;
}
