import { onTestFinished } from "vitest";
import { createClient } from "../../src/client/index.ts";
import type { TaskOf } from "../../src/client/index.ts";
import { code } from "../../src/lifecycles/code/lifecycle.ts";
import { startWorker } from "../../src/worker/index.ts";
import type { Move, RunningWorker, WorkerEvent, WorkerOptions } from "../../src/worker/index.ts";
import { openFrontDesk } from "../http/front-desk.ts";
import type { FrontDesk } from "../http/front-desk.ts";
import { until } from "../support/until.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

type Code = typeof code;
export type CodeTask = TaskOf<Code>;

export type TestWorker = RunningWorker & { events: WorkerEvent<Code>[] };

export type TestShop = FrontDesk & {
  token: string;
  /** Adds tasks and gives their ids. */
  add: (count: number, fields?: object) => Promise<string[]>;
  look: (id: string) => Promise<CodeTask>;
  /** A worker that is stopped when the test is over. */
  work: (
    options: Partial<WorkerOptions<Code>> & Pick<WorkerOptions<Code>, "run">,
    url?: string,
  ) => TestWorker;
  /** The actions of a task's journal, oldest first. */
  journal: (id: string) => Promise<string[]>;
  /** What the server's sweep would do by itself, until something is true. */
  sweepUntil: (reached: () => boolean | Promise<boolean>) => Promise<void>;
};

export const DONE: Move<Code> = { action: "complete", payload: { commit: "abc" } };

/** A queue of code tasks whose leases are short, and workers on it. */
export async function openTestShop({ leaseSeconds = 6 } = {}): Promise<TestShop> {
  const desk = await openFrontDesk();
  const token = await desk.member({ id: "worker", kind: "worker", roles: ["worker"] });
  await desk.ask("PATCH /api/projects/main", {
    body: { settings: { code: { lease_seconds: leaseSeconds } } },
  });
  const look = async (id: string) => (await desk.ask(`GET /api/tasks/${id}`)).body as unknown as CodeTask;
  return {
    ...desk,
    token,
    look,
    add: async (count, fields = {}) => {
      const tasks = Array.from({ length: count }, (_, n) => ({
        lifecycle: "code",
        title: `Task ${n}`,
        ...fields,
      }));
      const { body } = await desk.ask("POST /api/tasks/batch", { body: { tasks } });
      return (body.tasks as CodeTask[]).map(({ id }) => id);
    },
    work: (options, url = desk.url) => {
      const events: WorkerEvent<Code>[] = [];
      const worker = startWorker({
        client: createClient({ url, token }),
        lifecycle: code,
        failed,
        unwindMs: 300,
        graceMs: WAIT_LIMIT_MS,
        onEvent: (event) => events.push(event),
        ...options,
      });
      onTestFinished(() => worker.stop({ graceMs: 0 }));
      return Object.assign(worker, { events });
    },
    journal: async (id) => {
      const { body } = await desk.ask(`GET /api/tasks/${id}/events`);
      return (body.events as { action: string }[]).map(({ action }) => action);
    },
    sweepUntil: async (reached) => {
      await until(async () => {
        await desk.engine.sweep();
        return reached();
      });
    },
  };
}

/** As code's own worker does it: again where that may help, in the hands of whoever is free. */
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
