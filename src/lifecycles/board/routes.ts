import { isRefusal } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { answer, serve, serveTaskRoutes } from "../../plugin/index.ts";
import type { Caller, Call, Performed, Project, RouteHost, RouteSet } from "../../plugin/index.ts";
import { BoardService } from "./service.ts";
import { MOVE_ROUTES, TASKS, WORKSPACE_ROUTES } from "./api.ts";
import { editableFields } from "./extensions.ts";
import { board } from "./lifecycle.ts";
import { PRIORITY } from "./priorities.ts";

/** Serves the board's routes. */
export function boardRoutes(host: RouteHost): RouteSet[] {
  const service = new BoardService(host.engine);
  return [serveTasks(host, service), serveMoves(host, service), serveWorkspaces(host, service)];
}

/** Finds a workspace, by default `main`; one that the caller may not see is refused as not found. */
function workspaceOf({ directory }: RouteHost, caller: Caller, id: string | null | undefined) {
  return directory.project(caller, id ?? "main");
}

function serveTasks(host: RouteHost, service: BoardService): RouteSet {
  return serveTaskRoutes(TASKS, host, {
    present: (tasks, { caller }) => service.present(caller, tasks),
    presentMove: (done, caller) => service.presentMove(caller, done),
    verbs: {
      listBoardTasks: async ({ caller, query }) => {
        const workspace = await workspaceOf(host, caller, query.workspace_id);
        if (isRefusal(workspace)) return workspace;
        const { limit, offset } = query;
        const { tasks, total } = await service.list(caller, workspace.id, query);
        return answer(200, { tasks, total, limit, offset });
      },
      getBoardTask: async ({ caller, params }) => {
        const found = await service.find(caller, params.id);
        if (isRefusal(found)) return found;
        return answer(200, found, { row_version: found.task.row_version });
      },
    },
  });
}

function serveMoves(host: RouteHost, service: BoardService): RouteSet {
  const { engine } = host;
  const perform = async (call: MoveCall & { caller: Caller }, action: string, payload?: JsonObject) => {
    const request = { ...requestOf(call), action, ...(payload && { payload }) };
    const done = await engine.perform(call.caller, request);
    return isRefusal(done) ? done : answer(200, await service.presentMove(call.caller, done), extrasOf(done));
  };

  return serve(MOVE_ROUTES, {
    setBoardStatus: async (call) => {
      const done = await service.setStatus(call.caller, call.body.status, requestOf(call));
      return isRefusal(done)
        ? done
        : answer(200, await service.presentMove(call.caller, done), extrasOf(done));
    },
    claimBoardTask: (call) => perform(call, "claim"),
    escalateBoardTask: (call) => perform(call, "escalate"),
    takeOverBoardTask: (call) => perform(call, "take_over"),
    editBoardTask: (call) => perform(call, "edit", editOf(call.body)),
    reassignBoardTask: (call) => perform(call, "reassign", { assignee_id: call.body.assignee_id }),
    commentBoardTask: async (call) => {
      const reply = await perform(call, "comment");
      if (isRefusal(reply)) return reply;
      const { status: _, body, ...extras } = reply;
      return answer(201, body, extras);
    },
    claimNextBoardTask: async ({ caller, body, client_event_id }) => {
      const workspace = await workspaceOf(host, caller, body.workspace_id);
      if (isRefusal(workspace)) return workspace;
      const { comment = null, limit, priority } = body;
      const claimed = await engine.claim(caller, {
        lifecycle: "board",
        project_id: workspace.id,
        limit,
        comment,
        client_event_id,
        least_priority: priority == null ? null : PRIORITY[priority],
      });
      if (isRefusal(claimed)) return claimed;
      const tasks = await service.present(
        caller,
        claimed.tasks.map(({ task }) => task),
      );
      return answer(200, { tasks }, { replayed: claimed.replayed });
    },
  });
}

function serveWorkspaces(host: RouteHost, service: BoardService): RouteSet {
  const { directory } = host;
  return serve(WORKSPACE_ROUTES, {
    getWorkspace: async ({ caller, params }) => {
      const workspace = await workspaceOf(host, caller, params.id);
      return isRefusal(workspace) ? workspace : answer(200, onWire(workspace));
    },
    changeWorkspace: async ({ caller, params, body: { name, ...changes }, client_event_id }) => {
      const settings = boardSettings(changes);
      const change = await directory.changeProject(
        caller,
        params.id,
        { name, settings },
        { client_event_id },
      );
      if (isRefusal(change)) return change;
      return answer(200, onWire(change.answer), { replayed: change.replayed });
    },
    getBoardStats: async ({ caller, query: { workspace_id, period, agent_id } }) => {
      const workspace = await workspaceOf(host, caller, workspace_id);
      if (isRefusal(workspace)) return workspace;
      return answer(200, await service.stats(caller, workspace.id, period, agent_id ?? null));
    },
  });
}

type MoveCall = Pick<Call, "client_event_id" | "expected_row_version"> & {
  params: { id: string };
  body: { comment?: string | null | undefined };
};

function requestOf({ params, body, client_event_id, expected_row_version }: MoveCall) {
  const comment = body.comment ?? null;
  return { lifecycle: "board", task_id: params.id, comment, client_event_id, expected_row_version };
}

/** Returns the fields that a request changes. */
function editOf(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(editableFields).flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  );
}

function extrasOf({ task, replayed }: Performed) {
  return { row_version: task.row_version, replayed };
}

/** Returns the project settings that a request changes; undefined if it changes none. */
function boardSettings({ status_deadlines, new_deadline_waits_for_blockers }: WorkspaceChanges) {
  if (status_deadlines === undefined && new_deadline_waits_for_blockers === undefined) return undefined;
  return {
    board: {
      ...(status_deadlines && { status_deadlines }),
      ...(new_deadline_waits_for_blockers !== undefined && { new_deadline_waits_for_blockers }),
    },
  };
}

type WorkspaceChanges = {
  status_deadlines?: Record<string, number | null | undefined> | undefined;
  new_deadline_waits_for_blockers?: boolean | null | undefined;
};

function onWire({ id, name, settings }: Project) {
  const { status_deadlines, new_deadline_waits_for_blockers } = board.settings.parse(settings.board ?? {});
  return {
    id,
    name,
    status_deadlines: status_deadlines as { NEW: number; IN_PROGRESS: number; BLOCKED: number },
    new_deadline_waits_for_blockers: new_deadline_waits_for_blockers as boolean,
  };
}
