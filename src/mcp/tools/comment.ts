import { z } from "zod";
import { requestId, taskId, tool } from "../tool.ts";
import { performAction } from "./act.ts";

export const commentOnTask = tool({
  name: "comment",
  title: "Comment on a task",
  describe: () =>
    "Writes a comment into a task's journal, for whoever works on it next; the status stays as it is. Needs a lifecycle with an action `comment`; in others, comment along with an action. The same text twice in a row within 10 minutes is written once.",
  input: z.strictObject({
    task_id: taskId,
    comment: z.string().trim().min(1).max(20_000),
    request_id: requestId,
  }),
  run: async (desk, { task_id, comment, request_id }) => {
    const task = await desk.client.getTask({ id: task_id }, { signal: desk.signal });
    const { actions } = await desk.lifecycle(task.lifecycle);
    if (!actions.some(({ name }) => name === "comment"))
      return {
        text: `Tasks of ${task.lifecycle} take no comments by themselves. Say it in \`comment\` of an act: get_task shows what you may do.`,
        refused: true,
      };
    return performAction(desk, "comment", { task_id, action: "comment", comment, request_id });
  },
});
