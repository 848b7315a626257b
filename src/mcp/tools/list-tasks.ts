import { z } from "zod";
import { readPosition } from "../desk.ts";
import { tellStatuses } from "../tell-lifecycles.ts";
import { briefOf, tellBriefly } from "../tell-task.ts";
import { name, tool } from "../tool.ts";

export const listTasks = tool({
  name: "list_tasks",
  title: "List tasks",
  reads: true,
  describe: (known) =>
    `Lists the tasks you may see, oldest first, a page at a time; says \`after\` for wait_for_changes. Pawl moves tasks through lifecycles; each has its own statuses:\n${tellStatuses(known)}`,
  input: z.strictObject({
    lifecycle: name.optional(),
    status: z.array(name).max(100).optional(),
    project_id: name.optional(),
    assigned_to: name.optional().describe("a member's id; `me` for your own"),
    q: z.string().max(200).optional().describe("part of a title"),
    limit: z.int().min(1).max(100).default(20),
    cursor: name.optional().describe("of the page before"),
  }),
  run: async (desk, given) => {
    // Before the list: what happens while it is read is then told to whoever waits after this position.
    const after = await readPosition(desk);
    const { tasks, cursor } = await desk.client.listTasks(given, { signal: desk.signal });
    const next =
      cursor === null
        ? "That is all."
        : `There are more: call list_tasks again with cursor "${cursor}" and the same filters.`;
    const advice =
      tasks.length === 0
        ? `No task fits. Leave out filters, create_tasks, or wait_for_changes {after: ${after}}.`
        : `${next} Next: get_task shows one, claim_task takes one; wait_for_changes {after: ${after}} tells what changes from here.`;
    return {
      text: [...tasks.map(tellBriefly), advice].join("\n"),
      data: { tasks: tasks.map(briefOf), cursor, after },
    };
  },
});
