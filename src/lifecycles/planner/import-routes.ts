import { isRefusal } from "../../core/index.ts";
import { answer, serve } from "../../plugin/index.ts";
import type { Directory, Engine, RouteSet } from "../../plugin/index.ts";
import { IMPORT_ROUTES } from "./import-api.ts";
import { ImportService } from "./import-service.ts";
import { taskOnWire } from "./on-wire.ts";

/** Serves the routes of imports. */
export function serveImports({ engine, directory }: { engine: Engine; directory: Directory }): RouteSet {
  const service = new ImportService(engine);
  return serve(IMPORT_ROUTES, {
    previewPlannerImport: async ({ caller, body: { project_id, csv, time_zone = null } }) => {
      const project = await directory.project(caller, project_id ?? "main");
      if (isRefusal(project)) return project;
      const { rows, mistakes } = await service.preview(caller, { project_id: project.id, csv, time_zone });
      return answer(200, { tasks: rows.map(({ description: _, ...row }) => row), mistakes });
    },
    importPlannerTasks: async ({ caller, body: { project_id, csv, time_zone = null }, client_event_id }) => {
      const project = await directory.project(caller, project_id ?? "main");
      if (isRefusal(project)) return project;
      const request = { project_id: project.id, csv, time_zone };
      const done = await service.run(caller, request, client_event_id);
      if (isRefusal(done)) return done;
      const tasks = done.answer.tasks.map((task) => ({
        ...taskOnWire(task),
        line: task.line,
        ref: task.ref,
      }));
      return answer(201, { tasks }, { replayed: done.replayed });
    },
  });
}
