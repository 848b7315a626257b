import { z } from "zod";
import { readPosition } from "../tool-context.ts";
import { listStatuses } from "../format-lifecycles.ts";
import { summaryOf, formatTaskLine } from "../format-task.ts";
import { name, tool } from "../tool.ts";

export const listTasks = tool({
  name: "list_tasks",
  title: "List tasks",
  reads: true,
  describe: (known) =>
    `Lists the tasks you may see, oldest first, a page at a time; returns \`after\` for wait_for_changes. Each task belongs to a lifecycle with its own statuses:\n${listStatuses(known)}`,
  input: z.strictObject({
    lifecycle: name.optional(),
    status: z.array(name).max(100).optional(),
    project_id: name.optional(),
    assigned_to: name.optional().describe("a member's id; `me` for your own"),
    q: z.string().max(200).optional().describe("part of a title"),
    label: z.array(z.string().max(50)).max(20).optional().describe("tasks with all of these labels"),
    limit: z.int().min(1).max(100).default(20),
    cursor: name.optional().describe("from the previous page"),
  }),
  run: async (context, given) => {
    // Read the position before the list, so that waiting after it misses no change.
    const after = await readPosition(context);
    const { tasks, cursor } = await context.client.listTasks(given, { signal: context.signal });
    const next =
      cursor === null
        ? "This is the last page."
        : `There are more: call list_tasks again with cursor "${cursor}" and the same filters.`;
    const advice =
      tasks.length === 0
        ? `No task matches. Remove filters, create_tasks, or wait_for_changes {after: ${after}}.`
        : `${next} Next: get_task shows one, claim_task takes one; wait_for_changes {after: ${after}} waits for changes from here.`;
    return {
      text: [...tasks.map(formatTaskLine), advice].join("\n"),
      data: { tasks: tasks.map(summaryOf), cursor, after },
    };
  },
});
