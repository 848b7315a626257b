import { PawlError } from "../core/index.ts";
import type { Actor } from "../core/index.ts";
import { publicTask } from "./public-task.ts";
import type { PublicTask } from "./public-task.ts";
import { isUuid } from "./refusals.ts";
import { readBeats } from "./statements/find-tasks.ts";
import { listTasks } from "./statements/list-tasks.ts";
import { isOpen, taskOf } from "./task-row.ts";
import type { Tx } from "./transaction.ts";
import { visibleProjects } from "./visible-projects.ts";
import type { Workshop } from "./workshop.ts";

export type TaskQuery = {
  lifecycle?: string;
  status?: readonly string[];
  project_id?: string;
  assigned_to?: string;
  q?: string;
  cursor?: string;
  limit?: number;
};

/** `cursor` asks for the next page; null: there is none. */
export type TaskPage = { tasks: PublicTask[]; cursor: string | null };

/** One page of the tasks that somebody may see, oldest first. */
export async function listPage(
  workshop: Workshop,
  tx: Tx,
  { org_id, actor }: { org_id: string; actor: Actor },
  query: TaskQuery & { limit: number },
): Promise<TaskPage> {
  const { limit, cursor = null } = query;
  if (cursor !== null && !isUuid(cursor))
    throw new PawlError("VALIDATION_ERROR", "The cursor is not one of Pawl's.");
  const statuses = query.status ? [...new Set(query.status)] : null;
  const lifecycle = workshop.lifecycles.get(query.lifecycle ?? "");
  const unfinished =
    lifecycle !== undefined && (statuses?.every((status) => isOpen(lifecycle, status)) ?? false);
  const filter = {
    cursor,
    lifecycle: query.lifecycle ?? null,
    statuses,
    projects: visibleProjects(actor, query.project_id ?? null),
    assigned_to: query.assigned_to ?? null,
    text: query.q ?? null,
    reader: actor.id,
    // One more than asked for tells whether there is a next page.
    limit: limit + 1,
  };
  const rows = await listTasks(tx, org_id, filter, { unfinished });
  const page = rows.slice(0, limit);
  const ids = page.map((row) => row.id);
  const beats = await readBeats(tx, org_id, ids);
  return {
    tasks: page.map((row) => publicTask(taskOf(row, beats.get(row.id)))),
    cursor: rows.length > limit ? (ids.at(-1) ?? null) : null,
  };
}
