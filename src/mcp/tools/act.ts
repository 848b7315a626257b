import { z } from "zod";
import type { ToolContext, Task } from "../tool-context.ts";
import { moveKey, requestKey } from "../derived-idempotency-key.ts";
import { listActions } from "../format-lifecycles.ts";
import { summaryOf, formatNextStep, formatTime } from "../format-task.ts";
import { comment, name, requestId, taskId, tool } from "../tool.ts";
import type { ToolReply } from "../tool.ts";

const input = z.strictObject({
  task_id: taskId,
  action: name.trim().min(1),
  comment: comment.describe("the reason; many actions require it"),
  payload: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("the action's fields, as get_task lists them"),
  expected_row_version: z.int().optional().describe("refuse if the task has changed since you read it"),
  lease_token: name.optional().describe("from the reply of claim_task"),
  request_id: requestId,
});
type Given = z.output<typeof input>;

export const act = tool({
  name: "act",
  title: "Act on a task",
  describe: (known) =>
    `Performs an action on a task, such as completing or releasing it. get_task shows which actions you may perform now and their input. Repeating a call is safe: if it was your last action on the task, less than 10 minutes ago, you get the same reply again. To perform it again on purpose, give a new request_id. If claim_task gave a lease_token, send it with every act, and send action \`heartbeat\` with it before the lease ends, to keep the task. Actions by lifecycle:\n${listActions(known)}`,
  input,
  run: (context, given) => performAction(context, "act", given),
});

/** Performs an action on a task, for any tool. */
export async function performAction(
  context: ToolContext,
  toolName: string,
  given: Given,
): Promise<ToolReply> {
  const { task_id: id, request_id, ...move } = given;
  const { client, signal } = context;
  const task = await client.getTask({ id }, { signal });
  const { lease_token } = move;
  if (
    move.action === "heartbeat" &&
    lease_token !== undefined &&
    !(await hasAction(context, task, "heartbeat"))
  )
    return renewLease(context, task, lease_token);
  const { expected_row_version: _, lease_token: __, ...meant } = move;
  const client_event_id =
    request_id === undefined
      ? await moveKey(context, task, meant)
      : requestKey((await context.me()).id, toolName, request_id);
  const done = await client.moveTask({ ...move, id, client_event_id }, { signal });
  // A repetition gets the first reply, but the task may have changed since then, so read it again.
  const now = await client.getTask({ id }, { signal });
  const lease =
    done.lease_token === null ? [] : [formatLease(done.lease_token, done.lease_until, context.now())];
  return {
    text: [
      formatOutcome(move.action, task, now, done.outcome),
      ...lease,
      await formatNextStep(context, now),
    ].join("\n"),
    data: {
      task: summaryOf(now),
      outcome: done.outcome,
      ...(done.lease_token === null ? {} : { lease_token: done.lease_token, lease_until: done.lease_until }),
    },
  };
}

export function formatLease(token: string, until: string | null, now: number): string {
  const end =
    until === null
      ? ""
      : ` It ends at ${formatTime(until, now)} unless you call act {action: "heartbeat"} before then.`;
  return `lease_token ${token}: send it with every act on this task.${end}`;
}

function formatOutcome(action: string, before: Task, now: Task, outcome: string): string {
  if (outcome === "absorbed") return `${action} was accepted and changed nothing: the task is ${now.status}.`;
  const holder = now.assigned_to === null ? "unassigned" : `held by ${now.assigned_to}`;
  return before.status === now.status
    ? `Done: ${action}. "${now.title}" is ${now.status}, row_version ${now.row_version}, ${holder}.`
    : `Done: ${action}. "${now.title}" went from ${before.status} to ${now.status}, row_version ${now.row_version}, ${holder}.`;
}

async function hasAction(context: ToolContext, task: Task, action: string): Promise<boolean> {
  const { actions } = await context.lifecycle(task.lifecycle);
  return actions.some(({ name }) => name === action);
}

async function renewLease(
  { client, signal, now }: ToolContext,
  { id }: Task,
  lease_token: string,
): Promise<ToolReply> {
  const { extended } = await client.beatLeases({ leases: [{ task_id: id, lease_token }] }, { signal });
  const [renewed] = extended;
  if (!renewed)
    return {
      text: "LEASE_LOST: this lease is no longer yours. Stop working on the task and take another with claim_task.",
      data: { code: "LEASE_LOST" },
      refused: true,
    };
  return {
    text: `The lease is yours until ${formatTime(renewed.lease_until, now())}. Continue, and send the next heartbeat before then.`,
    data: { lease_until: renewed.lease_until },
  };
}
