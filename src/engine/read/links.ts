import { canSee } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import { findLinks, listHolds } from "../sql/find-links.ts";
import type { HoldRow, LinkRow } from "../sql/find-links.ts";
import { findTasks } from "../sql/find-tasks.ts";
import type { TaskRow } from "../task-row.ts";
import type { Tx } from "../transaction.ts";

const DEPTH = 3;
const MOST_LINKS = 200;
const MOST_HOLDS = 50;

export type LinkedTask = Pick<
  TaskRow,
  "id" | "lifecycle" | "project_id" | "title" | "status" | "final" | "assigned_to"
>;

export type Links = {
  /** The task itself among them. */
  tasks: LinkedTask[];
  dependencies: LinkRow[];
  /** How many more there are that the reader may not see. */
  hidden: number;
  complete: boolean;
  holds: HoldRow[];
};

/** What is tied to a task that the reader may see; of what he may not see he is told the number. */
export async function readLinks(
  tx: Tx,
  { org_id, actor }: { org_id: string; actor: Actor },
  task_id: string,
): Promise<Links> {
  const [found, holds] = await Promise.all([
    findLinks(tx, org_id, { task_id, depth: DEPTH, limit: MOST_LINKS + 1 }),
    listHolds(tx, org_id, task_id, MOST_HOLDS),
  ]);
  const links = found.slice(0, MOST_LINKS);
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
    complete: found.length <= MOST_LINKS,
    holds,
  };
}
