import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answer, serve, serveTaskRoutes, stream } from "../../plugin/index.ts";
import type { By, RouteHost, RouteSet } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { CodeDesk } from "./service.ts";
import { TASKS, VIEW_ROUTES, WORKER_ROUTES } from "./api.ts";
import { OutputBoard } from "./output-board.ts";

/** Code over HTTP, in its own words. */
export function codeRoutes(house: RouteHost): RouteSet[] {
  const desk = new CodeDesk(house.engine);
  const board = new OutputBoard(house.engine);
  return [serveTasks(house, desk), serveWorkers(house, desk, board), serveViews(house, desk, board)];
}

/** Without a project, `main` is meant; one that the caller may not see is not there. */
function projectOf({ directory }: RouteHost, by: By, id: string | null | undefined) {
  return directory.project(by, id ?? "main");
}

function serveTasks(house: RouteHost, desk: CodeDesk): RouteSet {
  return serveTaskRoutes(TASKS, house, {
    present: (tasks, { by }) => desk.tell(by, tasks),
    presentMove: (done, by) => desk.tellMove(by, done),
    verbs: {
      getCodeTask: async ({ by, params }) => {
        const found = await desk.show(by, params.id);
        return isRefusal(found) ? found : answer(200, found, { row_version: found.row_version });
      },
    },
  });
}

function serveWorkers({ engine, directory }: RouteHost, desk: CodeDesk, board: OutputBoard): RouteSet {
  return serve(WORKER_ROUTES, {
    retryCodeTask: async ({ by, params, body: { max_attempts = null }, client_event_id }) => {
      const made = await desk.retry(by, params.id, { max_attempts, client_event_id });
      if (isRefusal(made)) return made;
      const { task, replayed } = made;
      return answer(201, task, { row_version: task.row_version, replayed });
    },
    tellCodeOutput: async ({ by, params, body: { lease_token, run, text } }) => {
      const task = await desk.find(by, params.id);
      if (isRefusal(task)) return task;
      const holder = by.actor.id ?? "system";
      if (!isToken(lease_token)) return leaseLost();
      const saying = { task_id: task.id, lease_token, holder, run, text };
      const { held, kept } = await board.keep(by.org_id, saying);
      return held ? answer(200, { kept }) : leaseLost();
    },
    makeAgentToken: async ({ by, params, body: { lease_token, lasts_seconds } }) => {
      const task = await desk.find(by, params.id);
      if (isRefusal(task)) return task;
      const { extended } = await engine.heartbeat(by, [{ task_id: task.id, lease_token }]);
      if (extended.length === 0 || by.actor.id === null) return leaseLost();
      const { token } = await directory.issueConfinedToken(by, {
        member_id: by.actor.id,
        confined_to: { kind: "task", task_id: task.id },
        expires_in_ms: lasts_seconds * 1_000,
      });
      return answer(201, { token, expires_in_seconds: lasts_seconds });
    },
  });
}

function serveViews(house: RouteHost, desk: CodeDesk, board: OutputBoard): RouteSet {
  return serve(VIEW_ROUTES, {
    readCodeLog: async ({ by, params, query }) => {
      const task = await desk.find(by, params.id);
      if (isRefusal(task)) return task;
      return answer(200, await board.log(by.org_id, task.id, query.run ?? null));
    },
    streamCodeOutput: async ({ by, params, query, recognise, signal }) => {
      const task = await desk.find(by, params.id);
      if (isRefusal(task)) return task;
      const asked = { by, task_id: task.id, after: query.after ?? 0, recognise };
      return stream((response) => {
        board.stream(response, { ...asked, signal: signal() });
      });
    },
    getCodeGraph: async ({ by, query: { finished, limit, project_id } }) => {
      const project = await projectOf(house, by, project_id);
      if (isRefusal(project)) return project;
      return answer(200, await desk.graph(by, { project_id: project.id, finished, limit }));
    },
    getCodeSummary: async ({ by, query }) => {
      const project = await projectOf(house, by, query.project_id);
      return isRefusal(project) ? project : answer(200, await desk.summary(by, project.id));
    },
  });
}

/** The database would stumble over a text that cannot be a token. */
function isToken(lease_token: string): boolean {
  return isUuid(lease_token);
}

function leaseLost(): Refusal {
  return refuse("LEASE_LOST", "This lease is over: somebody else may hold the task now. Stop working on it.");
}
