import { isRefusal } from "../../core/index.ts";
import { answer, serve, serveTaskRoutes } from "../../plugin/index.ts";
import type { By, Call, Performed, Project, RouteHost, RouteSet } from "../../plugin/index.ts";
import { BoardDesk } from "./service.ts";
import { MOVE_ROUTES, TASKS, WORKSPACE_ROUTES } from "./api.ts";
import { board } from "./lifecycle.ts";
import { PRIORITY } from "./priorities.ts";

/** The board over HTTP, in its own words. */
export function boardRoutes(house: RouteHost): RouteSet[] {
  const desk = new BoardDesk(house.engine);
  return [serveTasks(house, desk), serveMoves(house, desk), serveWorkspaces(house, desk)];
}

/** Without a workspace, `main` is meant; one that the caller may not see is not there. */
function workspaceOf({ directory }: RouteHost, by: By, id: string | null | undefined) {
  return directory.project(by, id ?? "main");
}

function serveTasks(house: RouteHost, desk: BoardDesk): RouteSet {
  return serveTaskRoutes(TASKS, house, {
    present: (tasks, { by }) => desk.tell(by, tasks),
    presentMove: (done, by) => desk.tellMove(by, done),
    verbs: {
      listBoardTasks: async ({ by, query }) => {
        const workspace = await workspaceOf(house, by, query.workspace_id);
        if (isRefusal(workspace)) return workspace;
        const { limit, offset } = query;
        const { tasks, total } = await desk.list(by, workspace.id, query);
        return answer(200, { tasks, total, limit, offset });
      },
      getBoardTask: async ({ by, params }) => {
        const found = await desk.find(by, params.id);
        if (isRefusal(found)) return found;
        return answer(200, found, { row_version: found.task.row_version });
      },
    },
  });
}

function serveMoves(house: RouteHost, desk: BoardDesk): RouteSet {
  const { engine } = house;
  const perform = async (call: MoveCall & { by: By }, action: string) => {
    const done = await engine.perform(call.by, { ...asked(call), action });
    return isRefusal(done) ? done : answer(200, await desk.tellMove(call.by, done), extrasOf(done));
  };

  return serve(MOVE_ROUTES, {
    setBoardStatus: async (call) => {
      const done = await desk.setStatus(call.by, call.body.status, asked(call));
      return isRefusal(done) ? done : answer(200, await desk.tellMove(call.by, done), extrasOf(done));
    },
    claimBoardTask: (call) => perform(call, "claim"),
    escalateBoardTask: (call) => perform(call, "escalate"),
    takeOverBoardTask: (call) => perform(call, "take_over"),
    commentBoardTask: async (call) => {
      const said = await perform(call, "comment");
      if (isRefusal(said)) return said;
      const { status: _, body, ...extras } = said;
      return answer(201, body, extras);
    },
    claimNextBoardTask: async ({ by, body, client_event_id }) => {
      const workspace = await workspaceOf(house, by, body.workspace_id);
      if (isRefusal(workspace)) return workspace;
      const { comment = null, limit, priority } = body;
      const claimed = await engine.claim(by, {
        lifecycle: "board",
        project_id: workspace.id,
        limit,
        comment,
        client_event_id,
        least_priority: priority == null ? null : PRIORITY[priority],
      });
      if (isRefusal(claimed)) return claimed;
      const tasks = await desk.tell(
        by,
        claimed.tasks.map(({ task }) => task),
      );
      return answer(200, { tasks }, { replayed: claimed.replayed });
    },
  });
}

function serveWorkspaces(house: RouteHost, desk: BoardDesk): RouteSet {
  const { directory } = house;
  return serve(WORKSPACE_ROUTES, {
    getWorkspace: async ({ by, params }) => {
      const workspace = await workspaceOf(house, by, params.id);
      return isRefusal(workspace) ? workspace : answer(200, onWire(workspace));
    },
    changeWorkspace: async ({ by, params, body: { name, status_deadlines }, client_event_id }) => {
      const settings = status_deadlines && { board: { status_deadlines } };
      const change = await directory.changeProject(by, params.id, { name, settings }, { client_event_id });
      if (isRefusal(change)) return change;
      return answer(200, onWire(change.answer), { replayed: change.replayed });
    },
    getBoardStats: async ({ by, query: { workspace_id, period, agent_id } }) => {
      const workspace = await workspaceOf(house, by, workspace_id);
      if (isRefusal(workspace)) return workspace;
      return answer(200, await desk.stats(by, workspace.id, period, agent_id ?? null));
    },
  });
}

type MoveCall = Pick<Call, "client_event_id" | "expected_row_version"> & {
  params: { id: string };
  body: { comment?: string | null | undefined };
};

function asked({ params, body, client_event_id, expected_row_version }: MoveCall) {
  const comment = body.comment ?? null;
  return { lifecycle: "board", task_id: params.id, comment, client_event_id, expected_row_version };
}

function extrasOf({ task, replayed }: Performed) {
  return { row_version: task.row_version, replayed };
}

function onWire({ id, name, settings }: Project) {
  const { status_deadlines } = board.settings.parse(settings.board ?? {});
  return {
    id,
    name,
    status_deadlines: status_deadlines as { NEW: number; IN_PROGRESS: number; BLOCKED: number },
  };
}
