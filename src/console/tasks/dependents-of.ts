import type { Links } from "../data/api-types.ts";

type Waiting = Links["tasks"][number];

/** Finds the unfinished tasks that would stay blocked without a task: those that wait for it, directly or through others. */
export function dependentsOf(
  id: string,
  { tasks, dependencies }: Pick<Links, "tasks" | "dependencies">,
): Waiting[] {
  const found = new Set<string>();
  const next = [id];
  for (let blocker = next.pop(); blocker !== undefined; blocker = next.pop())
    for (const { task_id, blocker_id, resolved, on_failure } of dependencies) {
      if (blocker_id !== blocker || resolved || on_failure !== "wait" || found.has(task_id)) continue;
      found.add(task_id);
      next.push(task_id);
    }
  return tasks.filter((task) => found.has(task.id) && !task.final);
}
