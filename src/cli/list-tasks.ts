import type { TaskOnWire } from "../api/index.ts";
import { atServer } from "./at-server.ts";
import type { ExitCode } from "./exit-code.ts";
import { print } from "./print.ts";
import type { ConnectFlags, CliEnvironment } from "./cli-environment.ts";
import { saveShownVersions } from "./shown-versions.ts";
import { taskTable } from "./task-table.ts";

type TaskFilter = {
  lifecycle?: string;
  status?: string[];
  project?: string;
  assignee?: string;
  search?: string;
  label?: string[];
};

type ListOptions = ConnectFlags & TaskFilter & { limit: number; all?: true; json?: true };

const MAX_PAGE_SIZE = 200;

/** `pawl tasks list` */
export function listTasks(environment: CliEnvironment, options: ListOptions): Promise<ExitCode> {
  const { out, now } = environment;
  return atServer(environment, options, async ({ client, target }) => {
    const { limit, all, json } = options;
    const tasks: TaskOnWire[] = [];
    const max = all ? Infinity : limit;
    let cursor: string | null | undefined;
    do {
      const size = Math.min(MAX_PAGE_SIZE, max - tasks.length);
      const page = await client.listTasks({ ...queryOf(options), limit: size, cursor: cursor ?? undefined });
      tasks.push(...page.tasks);
      cursor = page.cursor;
    } while (cursor !== null && tasks.length < max);
    await saveShownVersions(environment, target, { tasks, json });
    const more =
      cursor === null ? "" : `\n${out.colours.dim("There are more: use --all or a higher --limit.")}`;
    return print(out, {
      json,
      value: { tasks, more: cursor !== null },
      text: () => (tasks.length === 0 ? "No tasks found." : taskTable(tasks, out, now()) + more),
    });
  });
}

/** Translates a filter into the API's parameters. */
function queryOf({ lifecycle, status, project, assignee, search, label }: TaskFilter) {
  return { lifecycle, status, project_id: project, assigned_to: assignee, q: search, label };
}
