import { isRefusal } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { answer, projectRefusal, serve, visibleProjects } from "../../plugin/index.ts";
import type { Directory, Engine, Project, RouteSet } from "../../plugin/index.ts";
import { DEFECT_ROUTES, DELIVERABLE_ROUTES, SHIFT_ROUTES } from "./api.ts";
import type { PlannerPolicy } from "./api.ts";
import { planner } from "./lifecycle.ts";
import { defectOnWire, deliverableOnWire, inspectionOnWire, shiftOnWire, taskOnWire } from "./on-wire.ts";
import type { PlannerService } from "./service.ts";
import { QualityService } from "./quality-service.ts";
import { ShiftService } from "./shift-service.ts";
import type { Defect } from "./sql/defects.ts";

type Host = { engine: Engine; directory: Directory };

/** Serves the routes of defects and fix-tasks. */
export function serveDefects({ engine, directory }: Host, tasks: PlannerService): RouteSet {
  const service = new QualityService(engine);
  return serve(DEFECT_ROUTES, {
    reportDefect: async ({ caller, params, body: { client_event_id: _, ...input }, client_event_id }) => {
      const done = await service.report(caller, params.id, input, client_event_id);
      if (isRefusal(done)) return done;
      return answer(201, defectOnWire(done.answer), { replayed: done.replayed });
    },
    fixPlannerTask: async ({ caller, params, body: { client_event_id: _, ...input }, client_event_id }) => {
      const original = await tasks.find(caller, params.id);
      if (isRefusal(original)) return original;
      const { id: fix_of_task_id, project_id } = original;
      const created = await tasks.create(caller, { ...input, fix_of_task_id, project_id }, client_event_id);
      if (isRefusal(created)) return created;
      const { task, made, replayed } = created;
      const defect = defectOnWire((made.record_defect ?? made.take_defect_in_hand) as Defect);
      return answer(201, { task, defect }, { row_version: task.row_version, replayed });
    },
    listDefects: async ({ caller, query: { project_id = null, ...query } }) => {
      const filter = { ...query, projects: visibleProjects(caller.actor, project_id) };
      const { rows, cursor } = await service.defects(caller, filter);
      const unknown = rows.length > 0 ? null : await projectRefusal(directory, caller, project_id);
      if (unknown) return unknown;
      return answer(200, { defects: rows.map(defectOnWire), cursor });
    },
    getDefect: async ({ caller, params }) => {
      const defect = await service.defect(caller, params.id);
      return isRefusal(defect) ? defect : answer(200, defectOnWire(defect));
    },
  });
}

/** Serves the routes of deliverables and inspections. */
export function serveDeliverables({ engine, directory }: Host): RouteSet {
  const service = new QualityService(engine);
  return serve(DELIVERABLE_ROUTES, {
    createDeliverable: async ({ caller, body: { project_id, type, serial }, client_event_id }) => {
      const project = await directory.project(caller, project_id ?? "main");
      if (isRefusal(project)) return project;
      const created = await service.create(caller, { project_id: project.id, type, serial }, client_event_id);
      if (isRefusal(created)) return created;
      return answer(201, deliverableOnWire(created.answer), { replayed: created.replayed });
    },
    listDeliverables: async ({ caller, query: { project_id = null, ...query } }) => {
      const filter = { ...query, projects: visibleProjects(caller.actor, project_id) };
      const { rows, cursor } = await service.deliverables(caller, filter);
      const unknown = rows.length > 0 ? null : await projectRefusal(directory, caller, project_id);
      if (unknown) return unknown;
      return answer(200, { deliverables: rows.map(deliverableOnWire), cursor });
    },
    getDeliverable: async ({ caller, params }) => {
      const deliverable = await service.deliverable(caller, params.id);
      return isRefusal(deliverable) ? deliverable : answer(200, deliverableOnWire(deliverable));
    },
    submitDeliverable: async ({ caller, params, client_event_id }) => {
      const done = await service.submit(caller, params.id, client_event_id);
      if (isRefusal(done)) return done;
      return answer(200, deliverableOnWire(done.answer), { replayed: done.replayed });
    },
    listInspections: async ({ caller, params }) => {
      const rows = await service.inspections(caller, params.id);
      return isRefusal(rows) ? rows : answer(200, { inspections: rows.map(inspectionOnWire) });
    },
    inspectDeliverable: async ({
      caller,
      params,
      body: { client_event_id: _, ...input },
      client_event_id,
    }) => {
      const done = await service.inspect(caller, params.id, input, client_event_id);
      if (isRefusal(done)) return done;
      const { inspection, deliverable, defect, fix_task } = done.answer;
      const body = {
        inspection: inspectionOnWire(inspection),
        deliverable: deliverableOnWire(deliverable),
        ...(defect ? { defect: defectOnWire(defect) } : {}),
        ...(fix_task ? { fix_task: taskOnWire(fix_task) } : {}),
      };
      return answer(201, body, { replayed: done.replayed });
    },
  });
}

/** Serves the routes of shifts and of the project policy. */
export function serveShifts({ engine, directory }: Host): RouteSet {
  const service = new ShiftService(engine);
  const policyOf = ({ settings }: Pick<Project, "settings">) =>
    engine.registry.settingsFor(planner, JSON.stringify(settings)) as PlannerPolicy;

  return serve(SHIFT_ROUTES, {
    createShift: async ({ caller, body: { project_id, starts_at, ends_at, members }, client_event_id }) => {
      const project = await directory.project(caller, project_id ?? "main");
      if (isRefusal(project)) return project;
      const times = { starts_at: Date.parse(starts_at), ends_at: Date.parse(ends_at) };
      const planned = await service.plan(
        caller,
        { project_id: project.id, ...times, members },
        client_event_id,
      );
      if (isRefusal(planned)) return planned;
      return answer(201, shiftOnWire(planned.answer), { replayed: planned.replayed });
    },
    listShifts: async ({ caller, query: { project_id = null, member_id: member, from, to, ...query } }) => {
      const times = {
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
      };
      const filter = { ...query, ...times, member, projects: visibleProjects(caller.actor, project_id) };
      const { rows, cursor } = await service.list(caller, filter);
      const unknown = rows.length > 0 ? null : await projectRefusal(directory, caller, project_id);
      if (unknown) return unknown;
      return answer(200, { shifts: rows.map(shiftOnWire), cursor });
    },
    getShift: async ({ caller, params }) => {
      const shift = await service.find(caller, params.id);
      return isRefusal(shift) ? shift : answer(200, shiftOnWire(shift));
    },
    endShift: async ({ caller, params, client_event_id }) => {
      const done = await service.end(caller, params.id, client_event_id);
      if (isRefusal(done)) return done;
      const { shift, released, kept } = done.answer;
      return answer(200, { shift: shiftOnWire(shift), released, kept }, { replayed: done.replayed });
    },
    getPolicy: async ({ caller, params }) => {
      const project = await directory.project(caller, params.id);
      return isRefusal(project) ? project : answer(200, policyOf(project));
    },
    changePolicy: async ({ caller, params, body: { client_event_id: _, ...settings }, client_event_id }) => {
      const change = { lifecycle: "planner", settings: settings as JsonObject };
      const done = await directory.changeSettings(caller, params.id, change, { client_event_id });
      if (isRefusal(done)) return done;
      return answer(200, policyOf(done.answer), { replayed: done.replayed });
    },
  });
}
