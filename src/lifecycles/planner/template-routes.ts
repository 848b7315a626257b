import { isRefusal } from "../../core/index.ts";
import { onWire } from "../../api/index.ts";
import { answer, projectRefusal, serve, visibleProjects } from "../../plugin/index.ts";
import type { Directory, Engine, RouteSet } from "../../plugin/index.ts";
import { deliverableOnWire, taskOnWire } from "./on-wire.ts";
import type { Template } from "./sql/templates.ts";
import { TEMPLATE_ROUTES } from "./template-api.ts";
import type { PlannerTemplate } from "./template-api.ts";
import { graphRefusal } from "./template-graph.ts";
import { TemplateService } from "./template-service.ts";

/** Serves the routes of templates. */
export function serveTemplates({ engine, directory }: { engine: Engine; directory: Directory }): RouteSet {
  const service = new TemplateService(engine);
  return serve(TEMPLATE_ROUTES, {
    createTemplate: async ({ caller, body: { project_id, name, type, tasks: given }, client_event_id }) => {
      const tasks = given.map(
        ({ ref, title, description, priority, required_trade, depends_on, estimate_minutes }) => ({
          ref,
          title,
          description: description ?? null,
          priority: priority ?? 0,
          required_trade: required_trade ?? null,
          estimate_minutes: estimate_minutes ?? null,
          depends_on: [...new Set(depends_on)],
        }),
      );
      const wrong = graphRefusal(tasks);
      if (wrong) return wrong;
      const project = await directory.project(caller, project_id ?? "main");
      if (isRefusal(project)) return project;
      const input = { project_id: project.id, name, type, tasks };
      const done = await service.create(caller, input, client_event_id);
      return isRefusal(done) ? done : answer(201, templateOnWire(done.answer), { replayed: done.replayed });
    },
    listTemplates: async ({ caller, query: { project_id = null, ...query } }) => {
      const filter = { ...query, projects: visibleProjects(caller.actor, project_id) };
      const { rows, cursor } = await service.list(caller, filter);
      const unknown = rows.length > 0 ? null : await projectRefusal(directory, caller, project_id);
      return unknown ?? answer(200, { templates: rows.map(templateOnWire), cursor });
    },
    getTemplate: async ({ caller, params }) => {
      const found = await service.find(caller, params.id);
      return isRefusal(found) ? found : answer(200, templateOnWire(found));
    },
    deleteTemplate: async ({ caller, params, client_event_id }) => {
      const done = await service.remove(caller, params.id, client_event_id);
      return isRefusal(done) ? done : answer(200, templateOnWire(done.answer), { replayed: done.replayed });
    },
    createInstance: async ({ caller, params, body, client_event_id }) => {
      const done = await service.instantiate(caller, params.id, body.serial, client_event_id);
      if (isRefusal(done)) return done;
      const { deliverable, tasks } = done.answer;
      const made = {
        deliverable: deliverableOnWire(deliverable),
        tasks: tasks.map((task) => ({ ...taskOnWire(task), ref: task.ref })),
      };
      return answer(201, made, { replayed: done.replayed });
    },
  });
}

function templateOnWire(row: Template): PlannerTemplate {
  return { ...row, created_at: onWire(row.created_at) };
}
