import { client } from "../../data/client.ts";
import type { Task } from "../../data/client.ts";
import type { ListQuery } from "../../data/list-query.ts";

/** Maximum page size of the server. */
const PAGE = 200;

/** Loads all tasks of a list, page by page, at most `max`. */
export async function loadMatching(query: ListQuery, max: number): Promise<Task[]> {
  const tasks: Task[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.listTasks>> = await client.listTasks({
      ...query,
      limit: Math.min(PAGE, max - tasks.length),
      ...(cursor === null ? {} : { cursor }),
    });
    tasks.push(...page.tasks);
    cursor = page.cursor;
  } while (cursor !== null && tasks.length < max);
  return tasks;
}
