import { isRefusal, refuse } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { answer, projectRefusal, serve, serveTaskRoutes, visibleProjects } from "../../plugin/index.ts";
import type { Caller, Call, PublicTask, RouteHost, RouteSet } from "../../plugin/index.ts";
import { CHANGE_ROUTES, HELP_ROUTES, POOL_ROUTES, TASKS } from "./api.ts";
import type { PlannerData } from "./fields.ts";
import { defectOnWire, dependentFor, escalationOnWire, holdOnWire, taskOnWire } from "./on-wire.ts";
import { serveImports } from "./import-routes.ts";
import { serveLead } from "./lead-routes.ts";
import { PlannerService } from "./service.ts";
import { serveShiftChanges, serveShiftPatterns } from "./shift-routes.ts";
import { serveTemplates } from "./template-routes.ts";
import { serveDefects, serveDeliverables, serveShifts } from "./quality-routes.ts";
import type { Defect } from "./sql/defects.ts";
import { readAllDependents } from "./sql/read-all-dependents.ts";
import { readEscalations } from "./sql/escalations.ts";
import type { Escalation } from "./sql/escalations.ts";

/** Serves the planner's routes. */
export function plannerRoutes(host: RouteHost): RouteSet[] {
  const service = new PlannerService(host.engine);
  return [
    serveTasks(host, service),
    serveChanges(service),
    servePool(host, service),
    serveHelp(host, service),
    serveDefects(host, service),
    serveDeliverables(host),
    serveShifts(host),
    serveShiftChanges(host),
    serveShiftPatterns(host),
    serveLead(host),
    serveTemplates(host),
    serveImports(host),
  ];
}

function serveTasks(host: RouteHost, service: PlannerService): RouteSet {
  return serveTaskRoutes(TASKS, host, {
    present: (tasks) => tasks.map(taskOnWire),
    presentMove: async (done, caller) => {
      const { task, transition } = await service.presentMove(caller, done);
      return { task, transition, ...madeOnWire(done.made ?? {}) };
    },
    verbs: {
      getPlannerTask: async ({ caller, params }) => {
        const task = await service.findTimed(caller, params.id);
        return isRefusal(task) ? task : answer(200, task, { row_version: task.row_version });
      },
      listPlannerTasks: async ({ caller, query: { project_id = null, assigned_to, q = null, ...query } }) => {
        const { rows, cursor } = await service.list(caller, {
          ...query,
          projects: visibleProjects(caller.actor, project_id),
          assigned_to: assigned_to === "me" ? caller.actor.id : (assigned_to ?? null),
          text: q,
        });
        const unknown = rows.length > 0 ? null : await projectRefusal(host.directory, caller, project_id);
        return unknown ?? answer(200, { tasks: rows, cursor });
      },
    },
  });
}

function serveChanges(service: PlannerService): RouteSet {
  return serve(
    CHANGE_ROUTES,
    {
      changePlannerTask: async (call) => {
        const { status: _, client_event_id: __, expected_row_version: ___, ...fields } = call.body;
        const moved = await service.perform(call.caller, {
          ...requestOf(call),
          action: "update",
          payload: fields,
        });
        return isRefusal(moved) ? moved : answer(200, moved.task, extrasOf(moved));
      },
      deletePlannerTask: async (call) => {
        const moved = await service.perform(call.caller, { ...requestOf(call), action: "delete" });
        return isRefusal(moved) ? moved : answer(204, undefined, { replayed: moved.done.replayed });
      },
    },
    {
      changePlannerTask: ({ body }) =>
        (body as { status?: unknown } | null | undefined)?.status === undefined ? null : NOT_PATCHABLE,
    },
  );
}

const NOT_PATCHABLE = refuse(
  "STATUS_NOT_PATCHABLE",
  "Only POST /api/planner/tasks/{id}/transitions changes a status.",
  { errors: [{ path: "status", message: "not allowed here" }] },
);

function servePool({ directory }: RouteHost, service: PlannerService): RouteSet {
  return serve(POOL_ROUTES, {
    listPlannerTransitions: async ({ caller, params, query }) => {
      const transitions = await service.log(caller, params.id, query);
      return isRefusal(transitions) ? transitions : answer(200, { transitions });
    },
    claimPlannerTask: async ({ caller, body, client_event_id }) => {
      const unknown = await projectRefusal(directory, caller, body.project_id);
      if (unknown) return unknown;
      const claimed = await service.claim(caller, body.project_id ?? null, client_event_id);
      if (isRefusal(claimed)) return claimed;
      const { replayed, ...taken } = claimed;
      return answer(200, taken, { replayed });
    },
    getPlannerPool: async ({ caller, query: { project_id, cursor = null, limit } }) => {
      const unknown = await projectRefusal(directory, caller, project_id);
      if (unknown) return unknown;
      const pool = await service.pool(caller, project_id ?? null, { cursor, limit });
      return isRefusal(pool) ? pool : answer(200, { tasks: pool.rows, cursor: pool.cursor });
    },
  });
}

function serveHelp({ engine }: RouteHost, service: PlannerService): RouteSet {
  const perform = async (call: MoveCall, action: string, payload: JsonObject) => {
    const moved = await service.perform(call.caller, { ...requestOf(call), action, payload });
    if (isRefusal(moved)) return moved;
    const { task, transition, done } = moved;
    return { body: { task, transition }, done, extras: extrasOf(moved) };
  };
  const performAndAnswer = async (call: MoveCall, action: string, payload: JsonObject) => {
    const moved = await perform(call, action, payload);
    return isRefusal(moved) ? moved : answer(200, moved.body, moved.extras);
  };

  return serve(HELP_ROUTES, {
    listContributors: async ({ caller, params }) => {
      const task = await service.find(caller, params.id);
      return isRefusal(task) ? task : answer(200, { contributors: dataOf(task).contributors });
    },
    addContributor: async (call) => {
      const moved = await perform(call, "add_contributor", { member_id: call.body.member_id });
      return isRefusal(moved) ? moved : answer(201, moved.body, moved.extras);
    },
    removeContributor: (call) =>
      performAndAnswer(call, "remove_contributor", { member_id: call.params.member_id }),
    listEscalations: async ({ caller, params }) => {
      const task = await service.find(caller, params.id);
      if (isRefusal(task)) return task;
      const rows = await engine.transaction((tx) => readEscalations(tx, caller.org_id, task.id));
      return answer(200, { escalations: rows.map(escalationOnWire) });
    },
    openEscalation: async (call) => {
      const { reason, text } = call.body;
      const moved = await perform(call, "escalate", { reason, text });
      if (isRefusal(moved)) return moved;
      const escalation = escalationOnWire(moved.done.made?.open_escalation as Escalation);
      return answer(201, { ...moved.body, escalation }, moved.extras);
    },
    resolveEscalation: async (call) => {
      const { escalation_id } = call.params;
      const { note } = call.body;
      const moved = await perform(call, "resolve_escalation", { escalation_id, note });
      if (isRefusal(moved)) return moved;
      const escalation = escalationOnWire(moved.done.made?.close_escalation as Escalation);
      return answer(200, { ...moved.body, escalation }, moved.extras);
    },
    listHolds: async ({ caller, params }) => {
      const task = await service.find(caller, params.id);
      return isRefusal(task) ? task : answer(200, { holds: dataOf(task).holds.map(holdOnWire) });
    },
    placeHold: async (call) => {
      const { kind, reason } = call.body;
      const moved = await perform(call, "place_hold", { kind, reason });
      if (isRefusal(moved)) return moved;
      const hold = dataOf(moved.done.task).holds.at(-1);
      if (!hold) throw new Error("the new hold is missing");
      return answer(201, { ...moved.body, hold: holdOnWire(hold) }, moved.extras);
    },
    releaseHold: (call) =>
      performAndAnswer(call, "release_hold", { hold_id: call.params.hold_id.toLowerCase() }),
    listDependents: async ({ caller, params }) => {
      const task = await service.find(caller, params.id);
      if (isRefusal(task)) return task;
      const rows = await engine.transaction((tx) => readAllDependents(tx, caller.org_id, task.id));
      return answer(200, { tasks: rows.map((row) => dependentFor(caller.actor, row)) });
    },
    addDependency: async (call) => {
      const moved = await perform(call, "add_dependency", { blocker_id: call.body.blocker_id.toLowerCase() });
      return isRefusal(moved) ? moved : answer(201, moved.body, moved.extras);
    },
    removeDependency: (call) =>
      performAndAnswer(call, "remove_dependency", { blocker_id: call.params.blocker_id.toLowerCase() }),
  });
}

type MoveCall = Pick<Call, "client_event_id" | "expected_row_version"> & {
  caller: Caller;
  params: { id: string };
};

function requestOf({ params, client_event_id, expected_row_version }: MoveCall) {
  return { task_id: params.id, client_event_id, expected_row_version };
}

function extrasOf({ done: { task, replayed } }: { done: { task: PublicTask; replayed: boolean } }) {
  return { row_version: task.row_version, replayed };
}

function dataOf(task: PublicTask): PlannerData {
  return task.data as PlannerData;
}

/** Returns the defect and the fix-task that a rejection created. */
function madeOnWire(made: JsonObject) {
  const fixed = made.create_fix as { fix_task: PublicTask; defect: Defect } | undefined;
  const defect = fixed?.defect ?? (made.record_defect as Defect | undefined);
  return {
    ...(fixed ? { fix_task: taskOnWire(fixed.fix_task) } : {}),
    ...(defect ? { defect: defectOnWire(defect) } : {}),
  };
}
