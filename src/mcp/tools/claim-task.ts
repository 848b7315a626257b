import { z } from "zod";
import type { ReplyOf, ROUTES } from "../../api/index.ts";
import { readPosition } from "../tool-context.ts";
import type { ToolContext, Task } from "../tool-context.ts";
import { CLAIM_REPEAT_WINDOW_MS } from "../recent-claims.ts";
import { requestKey, fingerprint } from "../derived-idempotency-key.ts";
import { listPools } from "../format-lifecycles.ts";
import { summaryOf, formatTask, formatNextStep } from "../format-task.ts";
import { comment, name, requestId, taskId, tool } from "../tool.ts";
import type { ToolReply } from "../tool.ts";
import { performAction, formatLease } from "./act.ts";

const input = z.strictObject({
  task_id: taskId.optional().describe("a specific task (default: the next free one)"),
  lifecycle: name.optional().describe("the lifecycle to claim from"),
  project_id: name.optional(),
  least_priority: z.int().optional(),
  limit: z.int().min(1).max(20).default(1).describe("maximum number of tasks"),
  comment: comment.describe("what you are about to do; the board requires it"),
  wait_seconds: z.number().min(0).max(50).default(0).describe("wait for a task to become free"),
  request_id: requestId,
});
type Given = z.output<typeof input>;
type Claimed = ReplyOf<typeof ROUTES.claimTasks>;

export const claimTask = tool({
  name: "claim_task",
  title: "Claim a task",
  describe: (known) =>
    `Takes a task for you to work on: the best free one of a lifecycle, or the one you name. No one else gets it. Repeating the call is safe: without request_id you get the same task again if you took it less than 2 minutes ago and have not acted on it. To take more tasks, give a new request_id for each, or a limit. ${listPools(known)}`,
  input,
  run: async (context, given) => {
    if (given.task_id !== undefined) return claimById(context, given.task_id, given);
    const lifecycle = await findPool(context, given.lifecycle);
    if (typeof lifecycle !== "string") return lifecycle;
    return claimNext(context, { ...given, lifecycle });
  },
});

async function claimById(
  context: ToolContext,
  task_id: string,
  { comment, request_id }: Given,
): Promise<ToolReply> {
  const task = await context.client.getTask({ id: task_id }, { signal: context.signal });
  const action = await poolAction(context, task.lifecycle);
  if (action === null)
    return {
      text: `Tasks of ${task.lifecycle} cannot be claimed. get_task shows what you may do with this one.`,
      refused: true,
    };
  return performAction(context, "claim_task", { task_id, action, comment, request_id });
}

async function claimNext(context: ToolContext, given: Given & { lifecycle: string }): Promise<ToolReply> {
  const { request_id, wait_seconds: _, ...meant } = given;
  const me = await context.me();
  if (request_id !== undefined)
    return replyWithClaimed(
      context,
      given,
      await claim(context, given, requestKey(me.id, "claim_task", request_id)),
    );
  const claimFingerprint = fingerprint([me.org_id, me.id, meant]);
  const recent = context.claims.rememberOrReuse(claimFingerprint, context.now(), () =>
    recentlyClaimed(context, given.lifecycle, me.id),
  );
  const held = await recent.held.catch((error: unknown) => {
    context.claims.forget(claimFingerprint);
    // The call that loaded the held tasks was aborted, so this one loads them.
    if (recent.again && !context.signal.aborted) return null;
    throw error;
  });
  if (held === null) return claimNext(context, given);
  if (held.length > 0 && (await areUnchanged(context, held))) return replyWithHeld(context, held);
  const answer = await claim(context, given, recent.key);
  if (!recent.again || (await areUnchanged(context, answer.tasks)))
    return replyWithClaimed(context, given, answer);
  const { key } = context.claims.next(claimFingerprint, recent, context.now());
  return replyWithClaimed(context, given, await claim(context, given, key));
}

function claim(
  context: ToolContext,
  given: Given & { lifecycle: string },
  client_event_id: string,
): Promise<Claimed> {
  const { lifecycle, project_id, least_priority, limit, comment, wait_seconds } = given;
  const filter = least_priority === undefined ? undefined : { least_priority };
  return context.client.claimTasks(
    { lifecycle, project_id, filter, limit, comment, wait_seconds, client_event_id },
    { signal: context.signal },
  );
}

/** Returns true if the reply to an earlier claim is still valid; an empty one always is, because the server decides it again. */
async function areUnchanged({ client, signal }: ToolContext, claimed: readonly Task[]): Promise<boolean> {
  const now = await Promise.all(claimed.map(({ id }) => client.getTask({ id }, { signal })));
  return now.every((task, index) => task.row_version === claimed[index]?.row_version);
}

/** Tasks that the caller has recently claimed from the pool and not changed since: the reply may have been lost. */
async function recentlyClaimed(context: ToolContext, lifecycle: string, me: string): Promise<Task[]> {
  const { client, signal, now } = context;
  const [action, { statuses }] = await Promise.all([
    poolAction(context, lifecycle),
    context.lifecycle(lifecycle),
  ]);
  const status = statuses.filter(({ final }) => !final).map(({ name }) => name);
  const { tasks } = await client.listTasks({ lifecycle, status, assigned_to: "me", limit: 200 }, { signal });
  const young = tasks.filter(({ entered_at }) => now() - Date.parse(entered_at) < CLAIM_REPEAT_WINDOW_MS);
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

async function replyWithHeld(context: ToolContext, tasks: readonly Task[]): Promise<ToolReply> {
  const texts = await Promise.all(
    tasks.map(async (task) => `${formatTask(task, context)}\n${await formatNextStep(context, task)}`),
  );
  const leased = tasks.some(({ lease }) => lease !== null);
  const lost = leased
    ? " The lease_token is only in the reply to the claim: if you do not have it, let the lease expire and claim again, with a request_id."
    : "";
  return {
    text: `You took this less than 2 minutes ago and have not acted on it, so you get it again; to take one more, give a request_id.${lost}\n${texts.join("\n\n")}`,
    data: { tasks: tasks.map(summaryOf) },
  };
}

async function replyWithClaimed(
  context: ToolContext,
  given: Given & { lifecycle: string },
  answer: Claimed,
): Promise<ToolReply> {
  const { tasks, refusal } = answer;
  if (tasks.length === 0) {
    const after = await readPosition(context);
    const why = refusal === null ? "" : ` The first task that was tried: ${refusal.code} ${refusal.detail}`;
    return {
      text: `No task of ${given.lifecycle} is free for you now.${why} Next: claim_task with wait_seconds, wait_for_changes {after: ${after}}, or list_tasks to see what the other tasks wait for.`,
      data: { tasks: [], after },
    };
  }
  const texts = await Promise.all(
    tasks.map(async (task) =>
      [
        formatTask(task, context),
        ...(task.lease_token === null
          ? []
          : [formatLease(task.lease_token, task.lease_until, context.now())]),
        await formatNextStep(context, task),
      ].join("\n"),
    ),
  );
  return {
    text: `Yours now:\n${texts.join("\n\n")}`,
    data: {
      tasks: tasks.map((task) => ({
        ...summaryOf(task),
        ...(task.lease_token === null
          ? {}
          : { lease_token: task.lease_token, lease_until: task.lease_until }),
      })),
    },
  };
}

/** Finds the lifecycle to claim from; if only one has a pool, it need not be named. */
async function findPool(
  { client, signal }: ToolContext,
  wanted: string | undefined,
): Promise<string | ToolReply> {
  const { lifecycles } = await client.listLifecycles(undefined, { signal });
  if (lifecycles.some(({ name }) => name === wanted)) return wanted as string;
  const pools = lifecycles.filter(({ has_pool }) => has_pool).map(({ name }) => name);
  const [only] = pools;
  if (wanted === undefined && only !== undefined && pools.length === 1) return only;
  const mistake = wanted === undefined ? "No lifecycle given" : `There is no lifecycle "${wanted}"`;
  return {
    text: `${mistake}: give \`lifecycle\`, one of ${pools.join(", ")}, or a task_id from list_tasks.`,
    refused: true,
  };
}

async function poolAction(context: ToolContext, lifecycle: string): Promise<string | null> {
  const { pool } = (await context.lifecycle(lifecycle)) as { pool?: { action: string } | null };
  return pool?.action ?? null;
}
