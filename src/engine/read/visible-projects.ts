import type { Actor } from "../../core/index.ts";

/** Returns the projects that an actor may see, limited to the requested one if any; null means all of the org. */
export function visibleProjects(actor: Actor, project_id: string | null): readonly string[] | null {
  if (project_id === null) return actor.project_ids;
  return actor.project_ids === null || actor.project_ids.includes(project_id) ? [project_id] : [];
}
