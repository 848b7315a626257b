import type { Actor } from "../../core/index.ts";
import type { LinkedTask } from "./links.ts";
import { findLinked, findLinksAmong } from "../sql/find-linked.ts";
import type { LinkRow } from "../sql/find-links.ts";
import type { TaskRow } from "../task-row.ts";
import type { Tx } from "../transaction.ts";
import { visibleProjects } from "./visible-projects.ts";

/** A graph with more links could not be drawn. */
const MAX_LINKS_PER_TASK = 10;

export type GraphQuery = { project_id?: string; lifecycle?: string; finished: boolean; limit: number };

export type Graph = {
  tasks: (LinkedTask & Pick<TaskRow, "open_blockers" | "needs_attention">)[];
  dependencies: LinkRow[];
  complete: boolean;
};

/** Reads the graph of dependencies between the tasks that the reader may see. */
export async function readGraph(
  tx: Tx,
  { org_id, actor }: { org_id: string; actor: Actor },
  { project_id, lifecycle, finished, limit }: GraphQuery,
): Promise<Graph> {
  const found = await findLinked(tx, org_id, {
    lifecycle: lifecycle ?? null,
    projects: visibleProjects(actor, project_id ?? null),
    reader: actor.id,
    finished,
    limit: limit + 1,
  });
  const tasks = found.slice(0, limit);
  const maxLinks = limit * MAX_LINKS_PER_TASK;
  const links = await findLinksAmong(
    tx,
    org_id,
    tasks.map(({ id }) => id),
    maxLinks + 1,
  );
  return {
    tasks: tasks.map((task) => ({
      id: task.id,
      lifecycle: task.lifecycle,
      project_id: task.project_id,
      title: task.title,
      status: task.status,
      final: task.final,
      assigned_to: task.assigned_to,
      open_blockers: task.open_blockers,
      needs_attention: task.needs_attention,
    })),
    dependencies: links.slice(0, maxLinks),
    complete: found.length <= limit && links.length <= maxLinks,
  };
}
