import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answer, serve, serveTaskRoutes, stream } from "../../plugin/index.ts";
import type { Caller, RouteHost, RouteSet } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { CodeService } from "./service.ts";
import { onWire, TASKS, VIEW_ROUTES, WORKER_ROUTES } from "./api.ts";
import { OutputLog } from "./output-log.ts";
import { readDiff, saveDiff } from "./sql/diff.ts";
import { usageReport } from "./usage-service.ts";

/** Serves the routes of the code lifecycle. */
export function codeRoutes(host: RouteHost): RouteSet[] {
  const service = new CodeService(host.engine);
  const output = new OutputLog(host.engine);
  return [serveTasks(host, service), serveWorkers(host, service, output), serveViews(host, service, output)];
}

/** Finds a project, by default `main`; one that the caller may not see is refused as not found. */
function projectOf({ directory }: RouteHost, caller: Caller, id: string | null | undefined) {
  return directory.project(caller, id ?? "main");
}

function serveTasks(host: RouteHost, service: CodeService): RouteSet {
  return serveTaskRoutes(TASKS, host, {
    present: (tasks, { caller }) => service.present(caller, tasks),
    presentMove: (done, caller) => service.presentMove(caller, done),
    verbs: {
      getCodeTask: async ({ caller, params }) => {
        const found = await service.show(caller, params.id);
        return isRefusal(found) ? found : answer(200, found, { row_version: found.row_version });
      },
    },
  });
}

function serveWorkers({ engine, directory }: RouteHost, service: CodeService, output: OutputLog): RouteSet {
  return serve(WORKER_ROUTES, {
    retryCodeTask: async ({ caller, params, body: { max_attempts = null }, client_event_id }) => {
      const created = await service.retry(caller, params.id, { max_attempts, client_event_id });
      if (isRefusal(created)) return created;
      const { task, replayed } = created;
      return answer(201, task, { row_version: task.row_version, replayed });
    },
    appendCodeOutput: async ({ caller, params, body: { lease_token, run, text } }) => {
      const task = await service.find(caller, params.id);
      if (isRefusal(task)) return task;
      const holder = caller.actor.id ?? "system";
      // Other texts would fail in the statement, whose parameter is a uuid.
      if (!isUuid(lease_token)) return leaseLost();
      const chunk = { task_id: task.id, lease_token, holder, run, text };
      const { held, kept } = await output.append(caller.org_id, chunk);
      return held ? answer(200, { kept }) : leaseLost();
    },
    saveCodeDiff: async ({ caller, params, body: { lease_token, ...diff } }) => {
      const task = await service.find(caller, params.id);
      if (isRefusal(task)) return task;
      if (!isUuid(lease_token)) return leaseLost();
      const held = { task_id: task.id, lease_token, holder: caller.actor.id ?? "system" };
      const kept = await engine.transaction((tx) => saveDiff(tx, caller.org_id, held, diff));
      return kept ? answer(200, { kept: true as const }) : leaseLost();
    },
    makeAgentToken: async ({ caller, params, body: { lease_token, lasts_seconds } }) => {
      const task = await service.find(caller, params.id);
      if (isRefusal(task)) return task;
      const { extended } = await engine.heartbeat(caller, [{ task_id: task.id, lease_token }]);
      if (extended.length === 0 || caller.actor.id === null) return leaseLost();
      const { token } = await directory.issueConfinedToken(caller, {
        member_id: caller.actor.id,
        confined_to: { kind: "task", task_id: task.id },
        expires_in_ms: lasts_seconds * 1_000,
      });
      return answer(201, { token, expires_in_seconds: lasts_seconds });
    },
  });
}

function serveViews(host: RouteHost, service: CodeService, output: OutputLog): RouteSet {
  return serve(VIEW_ROUTES, {
    readCodeLog: async ({ caller, params, query }) => {
      const task = await service.find(caller, params.id);
      if (isRefusal(task)) return task;
      return answer(200, await output.read(caller.org_id, task.id, query.run ?? null));
    },
    readCodeDiff: async ({ caller, params }) => {
      const task = await service.find(caller, params.id);
      if (isRefusal(task)) return task;
      const diff = await host.engine.transaction((tx) => readDiff(tx, caller.org_id, task.id));
      if (diff === null) return refuse("NO_DIFF", "No attempt of this task has changed anything yet.");
      return answer(200, { ...diff, created_at: onWire(diff.created_at) });
    },
    streamCodeOutput: async ({ caller, params, query, identify, signal }) => {
      const task = await service.find(caller, params.id);
      if (isRefusal(task)) return task;
      const request = { caller, task_id: task.id, after: query.after ?? 0, identify };
      return stream((response) => {
        output.stream(response, { ...request, signal: signal() });
      });
    },
    getCodeGraph: async ({ caller, query: { finished, limit, project_id } }) => {
      const project = await projectOf(host, caller, project_id);
      if (isRefusal(project)) return project;
      return answer(200, await service.graph(caller, { project_id: project.id, finished, limit }));
    },
    getCodeUsage: async ({ caller, query: { project_id, ...filter } }) => {
      const project = await projectOf(host, caller, project_id);
      if (isRefusal(project)) return project;
      return answer(200, await usageReport(host.engine, caller, { project_id: project.id, ...filter }));
    },
    getCodeSummary: async ({ caller, query }) => {
      const project = await projectOf(host, caller, query.project_id);
      if (isRefusal(project)) return project;
      return answer(200, await service.summary(caller, project, query.repository ?? null));
    },
  });
}

function leaseLost(): Refusal {
  return refuse(
    "LEASE_LOST",
    "The lease has ended, and another worker may have the task. Stop working on it.",
  );
}
