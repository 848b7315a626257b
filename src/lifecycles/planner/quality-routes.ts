import { isRefusal } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { answer, serve, visibleProjects } from "../../plugin/index.ts";
import type { Directory, Engine, Project, RouteSet } from "../../plugin/index.ts";
import { DEFECT_ROUTES, DELIVERABLE_ROUTES, SHIFT_ROUTES } from "./api.ts";
import type { PlannerPolicy } from "./api.ts";
import { planner } from "./lifecycle.ts";
import { defectOnWire, deliverableOnWire, inspectionOnWire, shiftOnWire, taskOnWire } from "./on-wire.ts";
import type { PlannerDesk } from "./service.ts";
import { QualityDesk } from "./quality-service.ts";
import { ShiftDesk } from "./shift-service.ts";
import type { Defect } from "./sql/defects.ts";

type House = { engine: Engine; directory: Directory };

/** Defects, and the tasks that mend them. */
export function serveDefects({ engine }: House, tasks: PlannerDesk): RouteSet {
  const desk = new QualityDesk(engine);
  return serve(DEFECT_ROUTES, {
    reportDefect: async ({ by, params, body: { client_event_id: _, ...said }, client_event_id }) => {
      const done = await desk.report(by, params.id, said, client_event_id);
      if (isRefusal(done)) return done;
      return answer(201, defectOnWire(done.answer), { replayed: done.replayed });
    },
    fixPlannerTask: async ({ by, params, body: { client_event_id: _, ...said }, client_event_id }) => {
      const original = await tasks.find(by, params.id);
      if (isRefusal(original)) return original;
      const { id: fix_of_task_id, project_id } = original;
      const made = await tasks.create(by, { ...said, fix_of_task_id, project_id }, client_event_id);
      if (isRefusal(made)) return made;
      const { task, replayed } = made;
      const defect = defectOnWire((made.made.record_defect ?? made.made.take_defect_in_hand) as Defect);
      return answer(201, { task, defect }, { row_version: task.row_version, replayed });
    },
    listDefects: async ({ by, query: { project_id = null, ...query } }) => {
      const filter = { ...query, projects: visibleProjects(by.actor, project_id) };
      const { rows, cursor } = await desk.defects(by, filter);
      return answer(200, { defects: rows.map(defectOnWire), cursor });
    },
    getDefect: async ({ by, params }) => {
      const defect = await desk.defect(by, params.id);
      return isRefusal(defect) ? defect : answer(200, defectOnWire(defect));
    },
  });
}

/** Deliverables and their inspections. */
export function serveDeliverables({ engine, directory }: House): RouteSet {
  const desk = new QualityDesk(engine);
  return serve(DELIVERABLE_ROUTES, {
    createDeliverable: async ({ by, body: { project_id, type, serial }, client_event_id }) => {
      const project = await directory.project(by, project_id ?? "main");
      if (isRefusal(project)) return project;
      const made = await desk.create(by, { project_id: project.id, type, serial }, client_event_id);
      if (isRefusal(made)) return made;
      return answer(201, deliverableOnWire(made.answer), { replayed: made.replayed });
    },
    listDeliverables: async ({ by, query: { project_id = null, ...query } }) => {
      const filter = { ...query, projects: visibleProjects(by.actor, project_id) };
      const { rows, cursor } = await desk.deliverables(by, filter);
      return answer(200, { deliverables: rows.map(deliverableOnWire), cursor });
    },
    getDeliverable: async ({ by, params }) => {
      const deliverable = await desk.deliverable(by, params.id);
      return isRefusal(deliverable) ? deliverable : answer(200, deliverableOnWire(deliverable));
    },
    submitDeliverable: async ({ by, params, client_event_id }) => {
      const done = await desk.submit(by, params.id, client_event_id);
      if (isRefusal(done)) return done;
      return answer(200, deliverableOnWire(done.answer), { replayed: done.replayed });
    },
    listInspections: async ({ by, params }) => {
      const rows = await desk.inspections(by, params.id);
      return isRefusal(rows) ? rows : answer(200, { inspections: rows.map(inspectionOnWire) });
    },
    inspectDeliverable: async ({ by, params, body: { client_event_id: _, ...said }, client_event_id }) => {
      const done = await desk.inspect(by, params.id, said, client_event_id);
      if (isRefusal(done)) return done;
      const { inspection, deliverable, defect, fix_task } = done.answer;
      const told = {
        inspection: inspectionOnWire(inspection),
        deliverable: deliverableOnWire(deliverable),
        ...(defect ? { defect: defectOnWire(defect) } : {}),
        ...(fix_task ? { fix_task: taskOnWire(fix_task) } : {}),
      };
      return answer(201, told, { replayed: done.replayed });
    },
  });
}

/** Shifts, and a project's policy. */
export function serveShifts({ engine, directory }: House): RouteSet {
  const desk = new ShiftDesk(engine);
  const policyOf = ({ settings }: Pick<Project, "settings">) =>
    engine.registry.settingsFor(planner, JSON.stringify(settings)) as PlannerPolicy;

  return serve(SHIFT_ROUTES, {
    createShift: async ({ by, body: { project_id, starts_at, ends_at, members }, client_event_id }) => {
      const project = await directory.project(by, project_id ?? "main");
      if (isRefusal(project)) return project;
      const times = { starts_at: Date.parse(starts_at), ends_at: Date.parse(ends_at) };
      const made = await desk.plan(by, { project_id: project.id, ...times, members }, client_event_id);
      if (isRefusal(made)) return made;
      return answer(201, shiftOnWire(made.answer), { replayed: made.replayed });
    },
    listShifts: async ({ by, query: { project_id = null, ...query } }) => {
      const filter = { ...query, projects: visibleProjects(by.actor, project_id) };
      const { rows, cursor } = await desk.list(by, filter);
      return answer(200, { shifts: rows.map(shiftOnWire), cursor });
    },
    getShift: async ({ by, params }) => {
      const shift = await desk.find(by, params.id);
      return isRefusal(shift) ? shift : answer(200, shiftOnWire(shift));
    },
    endShift: async ({ by, params, client_event_id }) => {
      const done = await desk.end(by, params.id, client_event_id);
      if (isRefusal(done)) return done;
      const { shift, released, kept } = done.answer;
      return answer(200, { shift: shiftOnWire(shift), released, kept }, { replayed: done.replayed });
    },
    getPolicy: async ({ by, params }) => {
      const project = await directory.project(by, params.id);
      return isRefusal(project) ? project : answer(200, policyOf(project));
    },
    changePolicy: async ({ by, params, body: { client_event_id: _, ...settings }, client_event_id }) => {
      const change = { lifecycle: "planner", settings: settings as JsonObject };
      const done = await directory.changeSettings(by, params.id, change, { client_event_id });
      if (isRefusal(done)) return done;
      return answer(200, policyOf(done.answer), { replayed: done.replayed });
    },
  });
}
