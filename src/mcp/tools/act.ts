import { z } from "zod";
import type { Desk, Task } from "../desk.ts";
import { keyOfMove, namedKey } from "../repeat-key.ts";
import { tellActions } from "../tell-lifecycles.ts";
import { briefOf, tellNext, tellTime } from "../tell-task.ts";
import { comment, name, requestId, taskId, tool } from "../tool.ts";
import type { Told } from "../tool.ts";

const input = z.strictObject({
  task_id: taskId,
  action: name.trim().min(1),
  comment: comment.describe("why; many actions demand it"),
  payload: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("the action's own fields, as get_task names them"),
  expected_row_version: z.int().optional().describe("refuse if the task has changed since you read it"),
  lease_token: name.optional().describe("as claim_task printed it"),
  request_id: requestId,
});
type Given = z.output<typeof input>;

export const act = tool({
  name: "act",
  title: "Act on a task",
  describe: (known) =>
    `Performs an action on a task, such as completing or handing back. get_task says which you may do now and what they need. Repeating the same call changes nothing twice: if the last thing you did with the task, less than 10 minutes ago, was exactly this, you get its answer again. To do the same again on purpose, give a new request_id. Where claim_task gave a lease_token, send it along, and send action \`heartbeat\` with it before the lease ends, to keep the task. Actions by lifecycle:\n${tellActions(known)}`,
  input,
  run: (desk, given) => performAction(desk, "act", given),
});

/** One action on a task that is named, whichever tool asks for it. */
export async function performAction(desk: Desk, by: string, given: Given): Promise<Told> {
  const { task_id: id, request_id, ...move } = given;
  const { client, signal } = desk;
  const task = await client.getTask({ id }, { signal });
  const { lease_token } = move;
  if (move.action === "heartbeat" && lease_token !== undefined && !(await declares(desk, task, "heartbeat")))
    return beat(desk, task, lease_token);
  const { expected_row_version: _, lease_token: __, ...meant } = move;
  const client_event_id =
    request_id === undefined
      ? await keyOfMove(desk, task, meant)
      : namedKey((await desk.me()).id, by, request_id);
  const done = await client.moveTask({ ...move, id, client_event_id }, { signal });
  // A repetition gets the first answer, and others may have gone on since: the task as it is now is what counts.
  const now = await client.getTask({ id }, { signal });
  const lease = done.lease_token === null ? [] : [tellLease(done.lease_token, done.lease_until, desk.now())];
  return {
    text: [tellDone(move.action, task, now, done.outcome), ...lease, await tellNext(desk, now)].join("\n"),
    data: {
      task: briefOf(now),
      outcome: done.outcome,
      ...(done.lease_token === null ? {} : { lease_token: done.lease_token, lease_until: done.lease_until }),
    },
  };
}

export function tellLease(token: string, until: string | null, now: number): string {
  const end =
    until === null ? "" : ` It ends at ${tellTime(until, now)} unless you act {action: "heartbeat"} before.`;
  return `lease_token ${token}: send it with every act on this task.${end}`;
}

function tellDone(action: string, before: Task, now: Task, outcome: string): string {
  if (outcome === "absorbed")
    return `${action} was accepted, and changes nothing: the task is ${now.status}.`;
  const holder = now.assigned_to === null ? "nobody holds it" : `held by ${now.assigned_to}`;
  return before.status === now.status
    ? `Done: ${action}. "${now.title}" is ${now.status}, row_version ${now.row_version}, ${holder}.`
    : `Done: ${action}. "${now.title}" went from ${before.status} to ${now.status}, row_version ${now.row_version}, ${holder}.`;
}

async function declares(desk: Desk, task: Task, action: string): Promise<boolean> {
  const { actions } = await desk.lifecycle(task.lifecycle);
  return actions.some(({ name }) => name === action);
}

async function beat({ client, signal, now }: Desk, { id }: Task, lease_token: string): Promise<Told> {
  const { extended } = await client.beatLeases({ leases: [{ task_id: id, lease_token }] }, { signal });
  const [kept] = extended;
  if (!kept)
    return {
      text: "LEASE_LOST: this lease is no longer yours. Stop working on the task and take another with claim_task.",
      data: { code: "LEASE_LOST" },
      refused: true,
    };
  return {
    text: `The lease is yours until ${tellTime(kept.lease_until, now())}. Go on working; beat again before then.`,
    data: { lease_until: kept.lease_until },
  };
}
