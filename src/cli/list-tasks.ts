import type { TaskOnWire } from "../api/index.ts";
import { atServer } from "./at-server.ts";
import type { ExitCode } from "./exit-code.ts";
import { print } from "./print.ts";
import type { ReachFlags, Surroundings } from "./surroundings.ts";
import { taskTable } from "./task-table.ts";

type TaskFilter = {
  lifecycle?: string;
  status?: string[];
  project?: string;
  assignee?: string;
  search?: string;
};

type Listing = ReachFlags & TaskFilter & { limit: number; all?: true; json?: true };

const LARGEST_PAGE = 200;

/** `pawl tasks list` */
export function listTasks(surroundings: Surroundings, listing: Listing): Promise<ExitCode> {
  const { out, now } = surroundings;
  return atServer(surroundings, listing, async ({ client }) => {
    const { limit, all, json } = listing;
    const tasks: TaskOnWire[] = [];
    const most = all ? Infinity : limit;
    let cursor: string | null | undefined;
    do {
      const size = Math.min(LARGEST_PAGE, most - tasks.length);
      const page = await client.listTasks({ ...queryOf(listing), limit: size, cursor: cursor ?? undefined });
      tasks.push(...page.tasks);
      cursor = page.cursor;
    } while (cursor !== null && tasks.length < most);
    const more = cursor === null ? "" : `\n${out.colours.dim("There are more: --all, or a higher --limit.")}`;
    return print(out, {
      json,
      value: { tasks, more: cursor !== null },
      text: () => (tasks.length === 0 ? "There are no such tasks." : taskTable(tasks, out, now()) + more),
    });
  });
}

/** A filter in the words of the API. */
function queryOf({ lifecycle, status, project, assignee, search }: TaskFilter) {
  return { lifecycle, status, project_id: project, assigned_to: assignee, q: search };
}
