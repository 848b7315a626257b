import { isRefusal } from "../../core/index.ts";
import { actionRefusal, answer, serve } from "../../plugin/index.ts";
import type { By, Call, Directory, Engine, Performed, Project, RouteSet } from "../../plugin/index.ts";
import { BoardDesk } from "./service.ts";
import { MOVE_ROUTES, TASK_ROUTES, WORKSPACE_ROUTES } from "./api.ts";
import { board } from "./lifecycle.ts";
import { PRIORITY } from "./priorities.ts";

export type House = { engine: Engine; directory: Directory };

/** The board over HTTP, in its own words. */
export function boardRoutes(house: House): RouteSet[] {
  const desk = new BoardDesk(house.engine);
  return [serveTasks(house, desk), serveMoves(house, desk), serveWorkspaces(house, desk)];
}

/** Without a workspace, `main` is meant; one that the caller may not see is not there. */
function workspaceOf({ directory }: House, by: By, id: string | null | undefined) {
  return directory.project(by, id ?? "main");
}

function serveTasks(house: House, desk: BoardDesk): RouteSet {
  return serve(TASK_ROUTES, {
    listBoardTasks: async ({ by, query }) => {
      const workspace = await workspaceOf(house, by, query.workspace_id);
      if (isRefusal(workspace)) return workspace;
      const { limit, offset } = query;
      const { tasks, total } = await desk.list(by, workspace.id, query);
      return answer(200, { tasks, total, limit, offset });
    },
    createBoardTask: async ({ by, body: { client_event_id: _, workspace_id, ...task }, client_event_id }) => {
      const made = await desk.create(by, [{ ...task, workspace_id }], client_event_id);
      if (isRefusal(made)) return made;
      const [first] = made.tasks;
      if (!first) throw new Error("a creation without a task");
      return answer(201, first, { row_version: first.row_version, replayed: made.replayed });
    },
    createBoardTasks: async ({ by, body, client_event_id }) => {
      const tasks = body.tasks.map((task) => ({
        ...task,
        workspace_id: task.workspace_id ?? body.workspace_id,
      }));
      const made = await desk.create(by, tasks, client_event_id);
      return isRefusal(made) ? made : answer(201, { tasks: made.tasks }, { replayed: made.replayed });
    },
    getBoardTask: async ({ by, params }) => {
      const found = await desk.find(by, params.id);
      if (isRefusal(found)) return found;
      return answer(200, found, { row_version: found.task.row_version });
    },
  });
}

function serveMoves(house: House, desk: BoardDesk): RouteSet {
  const { engine } = house;
  const perform = async (call: MoveCall & { by: By }, action: string) => {
    const done = await engine.perform(call.by, { ...asked(call), action });
    return isRefusal(done) ? done : answer(200, await desk.tellMove(call.by, done), extrasOf(done));
  };

  return serve(
    MOVE_ROUTES,
    {
      moveBoardTask: (call) => perform(call, call.body.action),
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
    },
    { moveBoardTask: ({ by, body }) => actionRefusal(board, by, body) },
  );
}

function serveWorkspaces(house: House, desk: BoardDesk): RouteSet {
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
