import { z } from "zod";
import { keyOfCreation, namedKey } from "../repeat-key.ts";
import { tellCreations } from "../tell-lifecycles.ts";
import { briefOf, tellBriefly } from "../tell-task.ts";
import { name, requestId, tool } from "../tool.ts";

export const createTasks = tool({
  name: "create_tasks",
  title: "Create tasks",
  describe: (known) =>
    `Creates one task or many, all or none. \`blocked_by\` lists ids of tasks, or \`ref\`s of tasks in the same call, that must be done first. Repeating the same call within 10 minutes creates nothing twice; to create the same again on purpose, give a new request_id. Fields beside lifecycle, project_id (default main), ref and available_at, by lifecycle (* must be given):\n${tellCreations(known)}`,
  input: z.strictObject({
    tasks: z
      .array(
        z.looseObject({
          lifecycle: name,
          project_id: name.optional(),
          ref: name.min(1).optional().describe("a name inside this call"),
        }),
      )
      .min(1)
      .max(100),
    request_id: requestId,
  }),
  run: async (desk, { tasks, request_id }) => {
    const client_event_id =
      request_id === undefined
        ? await keyOfCreation(desk, tasks)
        : namedKey((await desk.me()).id, "create_tasks", request_id);
    const made = await desk.client.createTasks({ tasks, client_event_id }, { signal: desk.signal });
    const lines = made.tasks.map((task, place) => {
      const ref = tasks[place]?.ref;
      return `${ref === undefined ? "" : `${ref} = `}${tellBriefly(task)}`;
    });
    return {
      text: [
        `Created ${made.tasks.length === 1 ? "one task" : `${made.tasks.length} tasks`}:`,
        ...lines,
        "Next: claim_task takes the first that is free; wait_for_changes tells when others have done theirs.",
      ].join("\n"),
      data: {
        tasks: made.tasks.map((task, place) => ({ ref: tasks[place]?.ref ?? null, ...briefOf(task) })),
      },
    };
  },
});
