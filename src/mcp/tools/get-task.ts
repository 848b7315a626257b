import { z } from "zod";
import { PawlProblem } from "../../client/index.ts";
import { readPosition } from "../tool-context.ts";
import type { ToolContext } from "../tool-context.ts";
import { findLifecycleName, formatLifecycle } from "../format-lifecycles.ts";
import { summaryOf, formatAllowedActions, formatEvent, formatTask } from "../format-task.ts";
import { name, taskId, tool } from "../tool.ts";
import type { ToolReply } from "../tool.ts";

const LAST_EVENTS = 10;

export const getTask = tool({
  name: "get_task",
  title: "Get a task",
  reads: true,
  describe: () =>
    "Shows a task: its fields, what you may do with it now and what each action needs, why other actions are refused, and its last events. With `lifecycle` instead of task_id, it explains a lifecycle: its statuses, the fields of a new task, its actions, and who may perform them.",
  input: z.strictObject({
    task_id: taskId.optional(),
    lifecycle: name.optional(),
  }),
  run: async (context, { task_id, lifecycle }) => {
    if (task_id !== undefined) return showTask(context, task_id);
    const named = await findLifecycleName(context, lifecycle);
    return typeof named === "string" ? { text: formatLifecycle(await context.lifecycle(named)) } : named;
  },
});

async function showTask(context: ToolContext, id: string): Promise<ToolReply> {
  const { client, signal } = context;
  const after = await readPosition(context);
  const task = await client.getTask({ id }, { signal });
  const [explained, { events }, lifecycle] = await Promise.all([
    client.explainTask({ id }, { signal }).catch(describeMissingSetup),
    client.listTaskEvents({ id, after: Math.max(0, task.row_version - LAST_EVENTS) }, { signal }),
    context.lifecycle(task.lifecycle),
  ]);
  const may =
    typeof explained === "string" ? [explained] : formatAllowedActions(explained.actions, lifecycle);
  return {
    text: [
      formatTask(task, context),
      ...may,
      "Last events:",
      ...events.map((event) => `- ${formatEvent(event, context.now())}`),
      `Next: act {task_id, action}, or wait_for_changes {task_id, after: ${after}}.`,
    ].join("\n"),
    data: {
      task: summaryOf(task),
      may:
        typeof explained === "string"
          ? []
          : explained.actions.filter((one) => one.allowed).map((one) => one.action),
      after,
    },
  };
}

/** A task can be shown even if the server lacks a setting that its rules need. */
function describeMissingSetup(error: unknown): string {
  if (error instanceof PawlProblem && error.code === "NOT_SET_UP")
    return `The actions that you may perform are not known: ${error.detail}`;
  throw error;
}
