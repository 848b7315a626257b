import { z } from "zod";
import { PawlProblem } from "../../client/index.ts";
import { readPosition } from "../desk.ts";
import type { Desk } from "../desk.ts";
import { lifecycleNamed, tellLifecycle } from "../tell-lifecycles.ts";
import { briefOf, tellActions, tellEvent, tellFully } from "../tell-task.ts";
import { name, taskId, tool } from "../tool.ts";
import type { Told } from "../tool.ts";

const LAST_EVENTS = 10;

export const getTask = tool({
  name: "get_task",
  title: "Get a task",
  reads: true,
  describe: () =>
    "Shows a task: its fields, what you may do with it now and what each action needs, why other actions are refused, and its last events. With `lifecycle` instead of task_id it explains a lifecycle: statuses, fields to create a task with, actions, and who may do them.",
  input: z.strictObject({
    task_id: taskId.optional(),
    lifecycle: name.optional(),
  }),
  run: async (desk, { task_id, lifecycle }) => {
    if (task_id !== undefined) return showTask(desk, task_id);
    const named = await lifecycleNamed(desk, lifecycle);
    return typeof named === "string" ? { text: tellLifecycle(await desk.lifecycle(named)) } : named;
  },
});

async function showTask(desk: Desk, id: string): Promise<Told> {
  const { client, signal } = desk;
  const after = await readPosition(desk);
  const task = await client.getTask({ id }, { signal });
  const [explained, { events }, lifecycle] = await Promise.all([
    client.explainTask({ id }, { signal }).catch(notSetUp),
    client.listTaskEvents({ id, after: Math.max(0, task.row_version - LAST_EVENTS) }, { signal }),
    desk.lifecycle(task.lifecycle),
  ]);
  const may = typeof explained === "string" ? [explained] : tellActions(explained.actions, lifecycle);
  return {
    text: [
      tellFully(task, desk),
      ...may,
      "Last events:",
      ...events.map((event) => `- ${tellEvent(event, desk.now())}`),
      `Next: act {task_id, action}, or wait_for_changes {task_id, after: ${after}}.`,
    ].join("\n"),
    data: {
      task: briefOf(task),
      may:
        typeof explained === "string"
          ? []
          : explained.actions.filter((one) => one.allowed).map((one) => one.action),
      after,
    },
  };
}

/** A task can be read where its rules cannot be asked, since the server lacks what they look at. */
function notSetUp(error: unknown): string {
  if (error instanceof PawlProblem && error.code === "NOT_SET_UP")
    return `What you may do cannot be told: ${error.detail}`;
  throw error;
}
