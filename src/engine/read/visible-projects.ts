import type { Actor } from "../../core/index.ts";

/** The projects a member may look into, of those he asks for; null is all of the org's. */
export function visibleProjects(actor: Actor, project_id: string | null): readonly string[] | null {
  if (project_id === null) return actor.project_ids;
  return actor.project_ids === null || actor.project_ids.includes(project_id) ? [project_id] : [];
}
