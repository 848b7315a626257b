import { isRefusal } from "../../core/index.ts";
import { PROJECT_ROUTES, projectOnWire } from "../../api/index.ts";
import type { Directory } from "../../engine/index.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** Projects: members read those they may see, admins write. */
export function serveProjects(directory: Directory): RouteSet {
  return serve(PROJECT_ROUTES, {
    listProjects: async ({ caller, query }) => {
      const { projects, cursor } = await directory.projects(caller, query);
      return answer(200, { projects: projects.map(projectOnWire), cursor });
    },
    getProject: async ({ caller, params }) => {
      const project = await directory.project(caller, params.id);
      return isRefusal(project) ? project : answer(200, projectOnWire(project));
    },
    createProject: async ({ caller, body: { client_event_id: _, ...given }, client_event_id }) => {
      const made = await directory.addProject(caller, given, { client_event_id });
      if (isRefusal(made)) return made;
      return answer(201, projectOnWire(made.answer), { replayed: made.replayed });
    },
    changeProject: async ({ caller, params, body: { client_event_id: _, ...change }, client_event_id }) => {
      const made = await directory.changeProject(caller, params.id, change, { client_event_id });
      if (isRefusal(made)) return made;
      return answer(200, projectOnWire(made.answer), { replayed: made.replayed });
    },
  });
}
