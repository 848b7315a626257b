import { isRefusal, refuse } from "../../core/index.ts";
import type { JsonObject, Refusal } from "../../core/index.ts";
import { answer, serve, serveTaskRoutes, visibleProjects } from "../../plugin/index.ts";
import type { By, Call, Directory, PublicTask, RouteHost, RouteSet } from "../../plugin/index.ts";
import { CHANGE_ROUTES, HELP_ROUTES, POOL_ROUTES, TASKS } from "./api.ts";
import type { PlannerData } from "./fields.ts";
import { defectOnWire, escalationOnWire, holdOnWire, taskOnWire } from "./on-wire.ts";
import { PlannerDesk } from "./service.ts";
import { serveDefects, serveDeliverables, serveShifts } from "./quality-routes.ts";
import type { Defect } from "./sql/defects.ts";
import { readEscalations } from "./sql/escalations.ts";
import type { Escalation } from "./sql/escalations.ts";

/** The planner over HTTP, in its own words. */
export function plannerRoutes(house: RouteHost): RouteSet[] {
  const desk = new PlannerDesk(house.engine);
  return [
    serveTasks(house, desk),
    serveChanges(desk),
    servePool(house, desk),
    serveHelp(house, desk),
    serveDefects(house, desk),
    serveDeliverables(house),
    serveShifts(house),
  ];
}

function serveTasks(house: RouteHost, desk: PlannerDesk): RouteSet {
  return serveTaskRoutes(TASKS, house, {
    present: (tasks) => tasks.map(taskOnWire),
    presentMove: async (done, by) => {
      const { task, transition } = await desk.tellMove(by, done);
      return { task, transition, ...madeOnWire(done.made ?? {}) };
    },
    verbs: {
      listPlannerTasks: async ({ by, query: { project_id = null, assigned_to, q = null, ...query } }) => {
        const { rows, cursor } = await desk.list(by, {
          ...query,
          projects: visibleProjects(by.actor, project_id),
          assigned_to: assigned_to === "me" ? by.actor.id : (assigned_to ?? null),
          text: q,
        });
        return answer(200, { tasks: rows, cursor });
      },
    },
  });
}

function serveChanges(desk: PlannerDesk): RouteSet {
  return serve(
    CHANGE_ROUTES,
    {
      changePlannerTask: async (call) => {
        const { status: _, client_event_id: __, expected_row_version: ___, ...fields } = call.body;
        const moved = await desk.perform(call.by, { ...asked(call), action: "update", payload: fields });
        return isRefusal(moved) ? moved : answer(200, moved.task, extrasOf(moved));
      },
      deletePlannerTask: async (call) => {
        const moved = await desk.perform(call.by, { ...asked(call), action: "delete" });
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
  "A status is changed by POST /api/planner/tasks/{id}/transitions alone.",
  { errors: [{ path: "status", message: "not here" }] },
);

function servePool({ directory }: RouteHost, desk: PlannerDesk): RouteSet {
  return serve(POOL_ROUTES, {
    listPlannerTransitions: async ({ by, params, query }) => {
      const transitions = await desk.log(by, params.id, query);
      return isRefusal(transitions) ? transitions : answer(200, { transitions });
    },
    claimPlannerTask: async ({ by, body, client_event_id }) => {
      const unknown = await unknownProject(directory, by, body.project_id);
      if (unknown) return unknown;
      const claimed = await desk.claim(by, body.project_id ?? null, client_event_id);
      if (isRefusal(claimed)) return claimed;
      const { replayed, ...told } = claimed;
      return answer(200, told, { replayed });
    },
    getPlannerPool: async ({ by, query: { project_id, cursor = null, limit } }) => {
      const unknown = await unknownProject(directory, by, project_id);
      if (unknown) return unknown;
      const pool = await desk.pool(by, project_id ?? null, { cursor, limit });
      return isRefusal(pool) ? pool : answer(200, { tasks: pool.rows, cursor: pool.cursor });
    },
  });
}

function serveHelp({ engine }: RouteHost, desk: PlannerDesk): RouteSet {
  const perform = async (call: MoveCall, action: string, payload: JsonObject) => {
    const moved = await desk.perform(call.by, { ...asked(call), action, payload });
    if (isRefusal(moved)) return moved;
    const { task, transition, done } = moved;
    return { told: { task, transition }, done, extras: extrasOf(moved) };
  };
  const simply = async (call: MoveCall, action: string, payload: JsonObject) => {
    const moved = await perform(call, action, payload);
    return isRefusal(moved) ? moved : answer(200, moved.told, moved.extras);
  };

  return serve(HELP_ROUTES, {
    listContributors: async ({ by, params }) => {
      const task = await desk.find(by, params.id);
      return isRefusal(task) ? task : answer(200, { contributors: dataOf(task).contributors });
    },
    addContributor: async (call) => {
      const moved = await perform(call, "add_contributor", { member_id: call.body.member_id });
      return isRefusal(moved) ? moved : answer(201, moved.told, moved.extras);
    },
    removeContributor: (call) => simply(call, "remove_contributor", { member_id: call.params.member_id }),
    listEscalations: async ({ by, params }) => {
      const task = await desk.find(by, params.id);
      if (isRefusal(task)) return task;
      const rows = await engine.transaction((tx) => readEscalations(tx, by.org_id, task.id));
      return answer(200, { escalations: rows.map(escalationOnWire) });
    },
    openEscalation: async (call) => {
      const { reason, text } = call.body;
      const moved = await perform(call, "escalate", { reason, text });
      if (isRefusal(moved)) return moved;
      const escalation = escalationOnWire(moved.done.made?.open_escalation as Escalation);
      return answer(201, { ...moved.told, escalation }, moved.extras);
    },
    resolveEscalation: async (call) => {
      const { escalation_id } = call.params;
      const { note } = call.body;
      const moved = await perform(call, "resolve_escalation", { escalation_id, note });
      if (isRefusal(moved)) return moved;
      const escalation = escalationOnWire(moved.done.made?.close_escalation as Escalation);
      return answer(200, { ...moved.told, escalation }, moved.extras);
    },
    listHolds: async ({ by, params }) => {
      const task = await desk.find(by, params.id);
      return isRefusal(task) ? task : answer(200, { holds: dataOf(task).holds.map(holdOnWire) });
    },
    placeHold: async (call) => {
      const { kind, reason } = call.body;
      const moved = await perform(call, "place_hold", { kind, reason });
      if (isRefusal(moved)) return moved;
      const hold = dataOf(moved.done.task).holds.at(-1);
      if (!hold) throw new Error("a hold that is not there");
      return answer(201, { ...moved.told, hold: holdOnWire(hold) }, moved.extras);
    },
    releaseHold: (call) => simply(call, "release_hold", { hold_id: call.params.hold_id.toLowerCase() }),
    removeDependency: (call) =>
      simply(call, "remove_dependency", { blocker_id: call.params.blocker_id.toLowerCase() }),
  });
}

type MoveCall = Pick<Call, "client_event_id" | "expected_row_version"> & { by: By; params: { id: string } };

function asked({ params, client_event_id, expected_row_version }: MoveCall) {
  return { task_id: params.id, client_event_id, expected_row_version };
}

function extrasOf({ done: { task, replayed } }: { done: { task: PublicTask; replayed: boolean } }) {
  return { row_version: task.row_version, replayed };
}

function dataOf(task: PublicTask): PlannerData {
  return task.data as PlannerData;
}

/** What a rejection made beside its move. */
function madeOnWire(made: JsonObject) {
  const fixed = made.create_fix as { fix_task: PublicTask; defect: Defect } | undefined;
  const defect = fixed?.defect ?? (made.record_defect as Defect | undefined);
  return {
    ...(fixed ? { fix_task: taskOnWire(fixed.fix_task) } : {}),
    ...(defect ? { defect: defectOnWire(defect) } : {}),
  };
}

/** Without a project, all that the caller may see are meant; one that he may not see is not there. */
async function unknownProject(
  directory: Directory,
  by: By,
  id: string | null | undefined,
): Promise<Refusal | null> {
  if (id == null) return null;
  const project = await directory.project(by, id);
  return isRefusal(project) ? project : null;
}
