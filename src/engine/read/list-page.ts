import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { PawlError } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import { publicTask } from "./public-task.ts";
import type { PublicTask } from "./public-task.ts";
import { isUuid } from "../../std/uuid.ts";
import { readBeats } from "../sql/find-tasks.ts";
import { countListed, listSorted, listTasks } from "../sql/list-tasks.ts";
import type { TaskSort } from "../sql/list-tasks.ts";
import { isOpen, taskOf } from "../task-row.ts";
import type { Tx } from "../transaction.ts";
import { stuckPairs } from "./stuck-pairs.ts";
import { visibleProjects } from "./visible-projects.ts";

export type TaskQuery = {
  lifecycle?: string;
  status?: readonly string[];
  project_id?: string;
  assigned_to?: string;
  q?: string;
  label?: readonly string[];
  held_by?: string;
  /** Only tasks that need attention, as on the overview. */
  attention?: boolean;
  /** Counts all tasks of the list too, at most MAX_COUNTED. */
  total?: boolean;
  sort?: TaskSort;
  order?: "asc" | "desc";
  cursor?: string;
  limit?: number;
};

/** A total above this is not counted: counting reads every task of the list. */
const MAX_COUNTED = 100_000;

/** `cursor` is for the next page; null if there is none. `total` is given if it was asked for. */
export type TaskPage = { tasks: PublicTask[]; cursor: string | null; total?: number };

/** Reads one page of the tasks that an actor may see; default oldest first. */
export async function listPage(
  registry: LifecycleRegistry,
  tx: Tx,
  { org_id, actor }: { org_id: string; actor: Actor },
  query: TaskQuery & { limit: number },
): Promise<TaskPage> {
  const { limit, sort = "created", order = "asc" } = query;
  const { id: cursor, key } = readCursor(query.cursor, sort);
  const statuses = query.status ? [...new Set(query.status)] : null;
  const lifecycle = registry.lifecycles.get(query.lifecycle ?? "");
  const unfinished =
    lifecycle !== undefined && (statuses?.every((status) => isOpen(lifecycle, status)) ?? false);
  const filter = {
    lifecycle: lifecycle ? { known: lifecycle.name } : asked(query.lifecycle),
    statuses,
    unfinished,
    projects: visibleProjects(actor, query.project_id ?? null),
    assigned_to: query.assigned_to ?? null,
    text: query.q ?? null,
    labels: query.label ?? null,
    held_by: query.held_by ?? null,
    attention: query.attention ? stuckPairs(registry) : null,
    reader: actor.id,
  };
  // One more than requested shows whether there is a next page.
  const walk = { cursor, limit: limit + 1 };
  const descending = order === "desc";
  const rows =
    sort === "created"
      ? await listTasks(tx, org_id, filter, { ...walk, newestFirst: descending })
      : await listSorted(tx, org_id, filter, { ...walk, sort, descending, after: key });
  const page = rows.slice(0, limit);
  const ids = page.map((row) => row.id);
  const beats = await readBeats(tx, org_id, ids);
  const last = page.at(-1);
  return {
    tasks: page.map((row) => publicTask(taskOf(row, beats.get(row.id)))),
    cursor: rows.length > limit && last ? cursorOf(last) : null,
    ...(query.total ? { total: await countListed(tx, org_id, filter, MAX_COUNTED) } : {}),
  };
}

function asked(lifecycle: string | undefined) {
  return lifecycle === undefined ? null : { asked: lifecycle };
}

type Cursor = { id: string | null; key: string | null };

/** Builds a cursor: the last id of a page, after its sort key if it is not sorted by id. */
function cursorOf(row: { id: string; sort_key?: string }): string {
  return row.sort_key === undefined ? row.id : `${row.sort_key}_${row.id}`;
}

function readCursor(cursor: string | undefined, sort: TaskSort): Cursor {
  if (cursor === undefined) return { id: null, key: null };
  const [, key = null, id = ""] = /^(?:(-?(?:Infinity|[\d.]+(?:e[+-]?\d+)?))_)?([^_]*)$/i.exec(cursor) ?? [];
  if (!isUuid(id) || (key === null) !== (sort === "created"))
    throw new PawlError("VALIDATION_ERROR", "Invalid cursor.", {
      errors: [{ path: "cursor", message: "must be a cursor of the same list" }],
    });
  return { id, key };
}
