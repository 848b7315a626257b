import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PawlProblem } from "../../src/client/index.ts";
import { GiveUp, RetryLater, RunEnded } from "../../src/worker/index.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";
import { deferred, DONE, startWorkerServer, START } from "./worker-server.ts";

const server = await startWorkerServer();
const { add, fetchTask, journal, sweepUntil } = server;
const COMPLETED_JOURNAL = ["create", "claim", "start", "complete"];

/** Everything that a worker promises holds over HTTP and in the process of the engine. */
const CLIENTS = [
  ["over HTTP", {}],
  ["in process", { client: server.local }],
] as const;

describe.each(CLIENTS)("a worker %s", (_where, client) => {
  const work: typeof server.work = (options) => server.work({ ...client, ...options });

  test("claims tasks, runs as many at once as `concurrency` allows, and reports them", async () => {
    const ids = await add(30);
    let [running, maxRunning] = [0, 0];
    const worker = work({
      concurrency: 4,
      run: async (_, { act }) => {
        maxRunning = Math.max(maxRunning, ++running);
        await act("start", START);
        running--;
        return DONE;
      },
    });
    await until(() => worker.events.filter(({ kind }) => kind === "finished").length === 30);
    expect(maxRunning).toBe(4);
    for (const id of ids) expect(await journal(id)).toEqual(COMPLETED_JOURNAL);
  });

  test("runs 64 tasks at once without a warning from Node", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    await add(64);
    const gate = deferred();
    const worker = work({
      concurrency: 64,
      run: async (_, { act }) => (await act("start", START), await gate.promise, DONE),
    });
    await until(() => worker.running === 64);
    gate.resolve();
    await until(() => worker.events.filter(({ kind }) => kind === "finished").length === 64);
    await worker.stop();
    expect(warnings).toEqual([]);
  });

  test("claims in advance if tasks are short, and only what it runs if they are long", async () => {
    await add(40);
    const claims: number[] = [];
    const worker = work({
      concurrency: 2,
      run: async (_, { act }) => (await act("start", START), DONE),
      onEvent: (event) => {
        if (event.kind === "claimed") claims.push(event.tasks.length);
        if (event.kind === "finished") finished++;
      },
    });
    let finished = 0;
    await until(() => finished === 40);
    await worker.stop();
    expect(claims[0]).toBe(2);
    expect(Math.max(...claims)).toBeGreaterThan(2);

    await add(6);
    const gate = deferred();
    const slow = work({
      concurrency: 2,
      run: async (_, { act }) => (await act("start", START), await gate.promise, DONE),
    });
    await until(() => slow.running === 2);
    gate.resolve();
    await until(() => slow.events.filter(({ kind }) => kind === "finished").length === 6);
    const order = slow.events.map(({ kind }) => kind);
    expect(order.indexOf("finished"), "the second claim came when a run had ended").toBeLessThan(
      order.indexOf("claimed", order.indexOf("claimed") + 1),
    );
  });

  test("aborts a run when its lease is lost, and reports nothing more for the task", async () => {
    const [id = ""] = await add(1);
    const started = deferred();
    let runs = 0;
    const worker = work({
      run: async (_, { act, signal }) => {
        if (++runs > 1) return forever();
        await act("start", START);
        started.resolve();
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        expect(signal.reason).toBeInstanceOf(RunEnded);
        // Returned after the abort: it must not be sent.
        return DONE;
      },
    });
    await started.promise;
    await server.engine.sweep({ now: Date.now() + 30_000 });
    await until(() => worker.events.some(({ kind }) => kind === "lost"));
    await worker.stop({ graceMs: 0 });
    const [, , , ...rest] = await journal(id);
    expect(rest.slice(0, 2)).toEqual(["lease_lost", "claim_timeout"]);
    expect(rest).not.toContain("complete");
    await drain();
  });

  test("retries retryable failures and fails the others", async () => {
    const [again = "", never = ""] = await add(2);
    let tries = 0;
    const worker = work({
      run: async ({ id }, { act }) => {
        await act("start", START);
        if (id === never) throw new GiveUp("no such file");
        if (++tries === 1) throw new RetryLater("the other side is busy", { retryAfterMs: 5_000 });
        if (tries === 2) throw new Error("an unknown error");
        return DONE;
      },
    });
    await until(
      async () =>
        (await fetchTask(again)).status === "completed" && (await fetchTask(never)).status === "failed",
    );
    const retry = ["retry", "release", "claim", "start"];
    expect(await journal(again)).toEqual(["create", "claim", "start", ...retry, ...retry, "complete"]);
    expect(await fetchTask(never)).toMatchObject({ attempt: 0, data: { last_error: "no such file" } });
    const failures = worker.events.flatMap((event) => (event.kind === "failed" ? [event.failure] : []));
    expect(failures.map(({ kind }) => kind).sort()).toEqual(["final", "retryable", "retryable"]);
    expect(failures).toContainEqual(expect.objectContaining({ retryAfterMs: 5_000 }));
  });

  test("throws a refusal during the run to the run; a refused result is a failure", async () => {
    const [id = ""] = await add(1, { max_attempts: 1 });
    const refusals: unknown[] = [];
    work({
      run: async (_, { act, task }) => {
        await act("complete", { payload: { commit: "abc" } }).catch((error: unknown) =>
          refusals.push((error as PawlProblem).code),
        );
        await act("start", START);
        expect(task().status).toBe("in_progress");
        return { action: "complete", payload: { commit: "" } };
      },
    });
    await until(async () => (await fetchTask(id)).status === "failed");
    expect(refusals).toEqual(["INVALID_TRANSITION"]);
    expect((await fetchTask(id)).data.last_error).toMatch(/commit/);
  });

  test("does not wait forever for a run that ignores its signal", async () => {
    const [id = ""] = await add(1, { max_attempts: 1 });
    const worker = work({
      timeoutMs: 200,
      run: async (_, { act }) => (await act("start", START), forever()),
    });
    // Wait for both attempts: a released task would be claimed by the next test.
    await until(async () => (await fetchTask(id)).status === "failed");
    await worker.stop();
    expect((await fetchTask(id)).data.last_error).toBe("It took longer than 0.2 s.");
  });

  test("sends only the latest progress, and ignores errors of sending it", async () => {
    const [id = ""] = await add(1);
    const sent: unknown[] = [];
    work({
      progressIntervalMs: 50,
      sendProgress: (progress) => {
        sent.push(progress);
        return Promise.reject(new Error("not reachable"));
      },
      run: async (_, { act, progress }) => {
        await act("start", START);
        for (let done = 1; done <= 100; done++) progress(done);
        await until(() => sent.length === 2);
        return DONE;
      },
    });
    await until(async () => (await fetchTask(id)).status === "completed");
    expect(sent).toEqual([1, 100]);
  });
});

describe.each(CLIENTS)("a worker %s that stops", (_where, client) => {
  const work: typeof server.work = (options) => server.work({ ...client, ...options });

  test("lets runs finish and releases tasks that have not started, without counting an attempt", async () => {
    const ids = await add(6);
    const gate = deferred();
    const worker = work({
      concurrency: 2,
      prefetch: 3,
      run: async (_, { act }) => (await act("start", START), await gate.promise, DONE),
    });
    await until(() => worker.running === 2);
    const stopped = worker.stop();
    await until(() => worker.events.filter(({ kind }) => kind === "released").length === 3);
    gate.resolve();
    await stopped;
    const tasks = await Promise.all(ids.map(fetchTask));
    expect(tasks.map(({ status }) => status).sort()).toEqual([
      "completed",
      "completed",
      ...Array.from({ length: 4 }, () => "ready"),
    ]);
    expect(tasks.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 6 }, () => 0));
    await drain();
  });

  test("while it waits for a task releases a task that it is just being given", async () => {
    for (let round = 0; round < 10; round++) {
      // On a slow machine the run may start before the stop; then it is aborted and its task released, too.
      const worker = work({
        abortGraceMs: WAIT_LIMIT_MS,
        release: () => [{ action: "release" }],
        run: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              reject(signal.reason as Error);
            });
          }),
      });
      await pause(30);
      const [[id = ""]] = await Promise.all([
        add(1),
        pause(round * 2).then(() => worker.stop({ graceMs: 1 })),
      ]);
      const { status, attempt } = await fetchTask(id);
      expect([status, attempt]).toEqual(["ready", 0]);
      await drain();
    }
  });

  test("aborts and releases long runs; one that ignores its signal keeps its task until the lease expires", async () => {
    const [heeds = "", hangs = ""] = await add(2);
    const worker = work({
      concurrency: 2,
      // The worker waits this long for the hanging run, and twice as long for the release of the other.
      abortGraceMs: 5_000,
      release: () => [{ action: "release" }],
      run: async ({ id }, { signal }) => {
        if (id === hangs) return forever();
        await new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            reject(signal.reason as Error);
          });
        });
        return undefined;
      },
    });
    await until(() => worker.running === 2);
    const firstStop = worker.stop({ graceMs: 600_000 });
    await worker.stop({ graceMs: 50 });
    await firstStop;
    await worker.stop();
    expect([(await fetchTask(heeds)).status, (await fetchTask(hangs)).status]).toEqual(["ready", "claimed"]);
    await server.sql`update pawl.task set due_at = now() where id = ${hangs}`;
    await sweepUntil(async () => (await fetchTask(hangs)).status === "ready");
    await drain();
  });
});

describe("a worker that cannot start", () => {
  test("because of an invalid token rejects `finished` with the reason", async () => {
    const { startWorker } = await import("../../src/worker/index.ts");
    const { createClient } = await import("../../src/client/index.ts");
    const { code } = await import("../../src/lifecycles/code/index.ts");
    const client = createClient({ url: server.url, token: "nonsense" });
    const worker = startWorker({
      client,
      lifecycle: code,
      failed: () => null,
      run: () => Promise.resolve(DONE),
    });
    await expect(worker.finished).rejects.toMatchObject({ code: "INVALID_TOKEN" });
    expect(() => startWorker({ ...worker, client: { ...client }, lifecycle: code } as never)).toThrow(
      /createClient/,
    );
  });
});

function forever(): Promise<never> {
  return new Promise(() => undefined);
}

/** Claims the tasks that a test has left in the pool, so that other tests do not get them. */
async function drain(): Promise<void> {
  await server.ask("POST /api/claims", { token: server.token, body: { lifecycle: "code", limit: 100 } });
}
