import { canSee } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import { findLinks, listHolds } from "../sql/find-links.ts";
import type { HoldRow, LinkRow } from "../sql/find-links.ts";
import { findTasks } from "../sql/find-tasks.ts";
import type { TaskRow } from "../task-row.ts";
import type { Tx } from "../transaction.ts";

const MAX_DEPTH = 3;
const MAX_LINKS = 200;
const MAX_HOLDS = 50;

export type LinkedTask = Pick<
  TaskRow,
  "id" | "lifecycle" | "project_id" | "title" | "status" | "final" | "assigned_to"
>;

export type Links = {
  /** Includes the task itself. */
  tasks: LinkedTask[];
  dependencies: LinkRow[];
  /** The number of linked tasks that the reader may not see. */
  hidden: number;
  complete: boolean;
  holds: HoldRow[];
};

/** Reads the tasks and holds linked to a task. Tasks that the reader may not see are only counted. */
export async function readLinks(
  tx: Tx,
  { org_id, actor }: { org_id: string; actor: Actor },
  task_id: string,
): Promise<Links> {
  const [found, holds] = await Promise.all([
    findLinks(tx, org_id, { task_id, depth: MAX_DEPTH, limit: MAX_LINKS + 1 }),
    listHolds(tx, org_id, task_id, MAX_HOLDS),
  ]);
  const links = found.slice(0, MAX_LINKS);
  const ids = [...new Set([task_id, ...links.flatMap((link) => [link.task_id, link.blocker_id])])];
  const tasks = (await findTasks(tx, org_id, ids)).filter((task) => canSee(actor, task));
  const seen = new Set(tasks.map(({ id }) => id));
  return {
    tasks: tasks.map(({ id, lifecycle, project_id, title, status, final, assigned_to }) => ({
      id,
      lifecycle,
      project_id,
      title,
      status,
      final,
      assigned_to,
    })),
    dependencies: links.filter((link) => seen.has(link.task_id) && seen.has(link.blocker_id)),
    hidden: ids.length - tasks.length,
    complete: found.length <= MAX_LINKS,
    holds,
  };
}
