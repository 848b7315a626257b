import { z } from "zod";
import { creationKey, requestKey } from "../derived-idempotency-key.ts";
import { listCreationFields } from "../format-lifecycles.ts";
import { summaryOf, formatTaskLine } from "../format-task.ts";
import { name, requestId, tool } from "../tool.ts";

export const createTasks = tool({
  name: "create_tasks",
  title: "Create tasks",
  describe: (known) =>
    `Creates one task or many, all or none. \`blocked_by\` lists ids of tasks, or \`ref\`s of tasks in the same call, that must be done first. Repeating the same call within 10 minutes creates nothing twice; to create the same again on purpose, give a new request_id. Fields besides lifecycle, project_id (default main), ref and available_at, by lifecycle (* is required):\n${listCreationFields(known)}`,
  input: z.strictObject({
    tasks: z
      .array(
        z.looseObject({
          lifecycle: name,
          project_id: name.optional(),
          ref: name.min(1).optional().describe("a name for blocked_by, valid in this call"),
        }),
      )
      .min(1)
      .max(100),
    request_id: requestId,
  }),
  run: async (context, { tasks, request_id }) => {
    const client_event_id =
      request_id === undefined
        ? await creationKey(context, tasks)
        : requestKey((await context.me()).id, "create_tasks", request_id);
    const created = await context.client.createTasks({ tasks, client_event_id }, { signal: context.signal });
    const lines = created.tasks.map((task, index) => {
      const ref = tasks[index]?.ref;
      return `${ref === undefined ? "" : `${ref} = `}${formatTaskLine(task)}`;
    });
    return {
      text: [
        `Created ${created.tasks.length === 1 ? "one task" : `${created.tasks.length} tasks`}:`,
        ...lines,
        "Next: claim_task takes the first free one; wait_for_changes waits until others finish theirs.",
      ].join("\n"),
      data: {
        tasks: created.tasks.map((task, index) => ({ ref: tasks[index]?.ref ?? null, ...summaryOf(task) })),
      },
    };
  },
});
