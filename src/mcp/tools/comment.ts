import { z } from "zod";
import { requestId, taskId, tool } from "../tool.ts";
import { performAction } from "./act.ts";

export const commentOnTask = tool({
  name: "comment",
  title: "Comment on a task",
  describe: () =>
    "Adds a comment to a task's journal, for others who work on it; the status does not change. Needs a lifecycle with an action `comment`; in others, comment together with an action. The same text twice in a row within 10 minutes is added once.",
  input: z.strictObject({
    task_id: taskId,
    comment: z.string().trim().min(1).max(20_000),
    request_id: requestId,
  }),
  run: async (context, { task_id, comment, request_id }) => {
    const task = await context.client.getTask({ id: task_id }, { signal: context.signal });
    const { actions } = await context.lifecycle(task.lifecycle);
    if (!actions.some(({ name }) => name === "comment"))
      return {
        text: `Tasks of ${task.lifecycle} have no action \`comment\`. Use the field \`comment\` of act instead: get_task shows what you may do.`,
        refused: true,
      };
    return performAction(context, "comment", { task_id, action: "comment", comment, request_id });
  },
});
