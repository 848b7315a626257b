import { onTestFinished } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { localClient } from "../../src/main/local-client.ts";
import type { LocalClient } from "../../src/main/local-client.ts";
import { localRoutes } from "../../src/server/index.ts";
import type { TaskOf } from "../../src/client/index.ts";
import { code } from "../../src/lifecycles/code/lifecycle.ts";
import { startWorker } from "../../src/worker/index.ts";
import type { Move, RunningWorker, WorkerEvent, WorkerOptions } from "../../src/worker/index.ts";
import { findActor } from "../../src/engine/index.ts";
import { startTestServer } from "../http/test-server.ts";
import type { TestServer } from "../http/test-server.ts";
import { until } from "../support/until.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

type Code = typeof code;
export type CodeTask = TaskOf<Code>;

export type TestWorker = RunningWorker & { events: WorkerEvent<Code>[] };

export type WorkerServer = TestServer & {
  token: string;
  /** A client of the worker's member without HTTP. */
  local: LocalClient;
  /** Adds tasks and returns their ids. */
  add: (count: number, fields?: object) => Promise<string[]>;
  fetchTask: (id: string) => Promise<CodeTask>;
  /** Starts a worker that is stopped at the end of the test. */
  work: (
    options: Partial<WorkerOptions<Code>> & Pick<WorkerOptions<Code>, "run">,
    url?: string,
  ) => TestWorker;
  /** The actions of a task's journal, oldest first. */
  journal: (id: string) => Promise<string[]>;
  /** Sweeps until a condition is true. */
  sweepUntil: (reached: () => boolean | Promise<boolean>) => Promise<void>;
};

export const DONE: Move<Code> = { action: "complete", payload: { commit: "abc" } };

/** Starts a server with short leases for code tasks. */
export async function startWorkerServer({ leaseSeconds = 6 } = {}): Promise<WorkerServer> {
  const server = await startTestServer();
  const token = await server.member({ id: "worker", kind: "worker", roles: ["worker"] });
  await server.ask("PATCH /api/projects/main", {
    body: { settings: { code: { lease_seconds: leaseSeconds } } },
  });
  const fetchTask = async (id: string) =>
    (await server.ask(`GET /api/tasks/${id}`)).body as unknown as CodeTask;
  return {
    ...server,
    token,
    local: await localClientOf(server, "worker"),
    fetchTask,
    add: async (count, fields = {}) => {
      const tasks = Array.from({ length: count }, (_, n) => ({
        lifecycle: "code",
        title: `Task ${n}`,
        ...fields,
      }));
      const { body } = await server.ask("POST /api/tasks/batch", { body: { tasks } });
      return (body.tasks as CodeTask[]).map(({ id }) => id);
    },
    work: (options, url = server.url) => {
      const events: WorkerEvent<Code>[] = [];
      const worker = startWorker({
        client: createClient({ url, token }),
        lifecycle: code,
        failed,
        abortGraceMs: 300,
        graceMs: WAIT_LIMIT_MS,
        onEvent: (event) => events.push(event),
        ...options,
      });
      onTestFinished(() => worker.stop({ graceMs: 0 }));
      return Object.assign(worker, { events });
    },
    journal: async (id) => {
      const { body } = await server.ask(`GET /api/tasks/${id}/events`);
      return (body.events as { action: string }[]).map(({ action }) => action);
    },
    sweepUntil: async (reached) => {
      await until(async () => {
        await server.engine.sweep();
        return reached();
      });
    },
  };
}

/** Builds a client in this process that acts as a member. */
async function localClientOf(
  { engine, directory, testEngine }: TestServer,
  id: string,
): Promise<LocalClient> {
  const stopping = new AbortController().signal;
  const routes = localRoutes({ engine, directory, own: {}, stopping });
  const caller = { org_id: "main", actor: await findActor(testEngine.sql, "main", id) };
  return localClient({ engine, routes, stopping }, () => caller);
}

/** Reports failures like the worker of code: retries if that may help, and releases the task. */
export const failed: WorkerOptions<Code>["failed"] = ({ kind, message }, task) => {
  const recoverable = kind === "retryable";
  if (task.status !== "in_progress") return { action: "release" };
  if (recoverable && task.attempt < task.data.max_attempts)
    return [{ action: "retry", payload: { error: message } }, { action: "release" }];
  return { action: "fail", payload: { error: message, recoverable } };
};

export const START = { payload: { worktree: "/w", branch: "pawl/1" } };

export function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
