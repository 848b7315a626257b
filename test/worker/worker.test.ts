import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PawlProblem } from "../../src/client/index.ts";
import { GiveUp, RetryLater, RunEnded } from "../../src/worker/index.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";
import { deferred, DONE, openTestShop, START } from "./workshop.ts";

const shop = await openTestShop();
const { add, look, work, journal, sweepUntil } = shop;
const LIFE = ["create", "claim", "start", "complete"];

describe("a worker", () => {
  test("claims, runs so many at once as it was told to, and reports", async () => {
    const ids = await add(30);
    let [running, most] = [0, 0];
    const worker = work({
      concurrency: 4,
      run: async (_, { act }) => {
        most = Math.max(most, ++running);
        await act("start", START);
        running--;
        return DONE;
      },
    });
    await until(() => worker.events.filter(({ kind }) => kind === "finished").length === 30);
    expect(most).toBe(4);
    for (const id of ids) expect(await journal(id)).toEqual(LIFE);
  });

  test("runs 64 tasks at once without a warning of Node", async () => {
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

  test("claims ahead of need where tasks are short, and only what it runs where they are long", async () => {
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

  test("aborts a run the moment its lease is lost, and says nothing more of the task", async () => {
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
        // Said all the same: it must not be heard.
        return DONE;
      },
    });
    await started.promise;
    await shop.engine.sweep({ now: Date.now() + 30_000 });
    await until(() => worker.events.some(({ kind }) => kind === "lost"));
    await worker.stop({ graceMs: 0 });
    const [, , , ...rest] = await journal(id);
    expect(rest.slice(0, 2)).toEqual(["lease_lost", "claim_timeout"]);
    expect(rest).not.toContain("complete");
    await drain();
  });

  test("tries again what may be tried again, and gives up what may not", async () => {
    const [again = "", never = ""] = await add(2);
    let tries = 0;
    const worker = work({
      run: async ({ id }, { act }) => {
        await act("start", START);
        if (id === never) throw new GiveUp("no such file");
        if (++tries === 1) throw new RetryLater("the other side is busy", { retryAfterMs: 5_000 });
        if (tries === 2) throw new Error("nobody knows this one");
        return DONE;
      },
    });
    await until(
      async () => (await look(again)).status === "completed" && (await look(never)).status === "failed",
    );
    const retry = ["retry", "release", "claim", "start"];
    expect(await journal(again)).toEqual(["create", "claim", "start", ...retry, ...retry, "complete"]);
    expect(await look(never)).toMatchObject({ attempt: 0, data: { last_error: "no such file" } });
    const failures = worker.events.flatMap((event) => (event.kind === "failed" ? [event.failure] : []));
    expect(failures.map(({ kind }) => kind).sort()).toEqual(["final", "retryable", "retryable"]);
    expect(failures).toContainEqual(expect.objectContaining({ retryAfterMs: 5_000 }));
  });

  test("hands a refusal in mid-run to the run; one of its result is a failure", async () => {
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
    await until(async () => (await look(id)).status === "failed");
    expect(refusals).toEqual(["INVALID_TRANSITION"]);
    expect((await look(id)).data.last_error).toMatch(/commit/);
  });

  test("does not wait for ever for a run that hangs, though it heeds nothing", async () => {
    const [id = ""] = await add(1, { max_attempts: 1 });
    const worker = work({
      timeoutMs: 200,
      run: async (_, { act }) => (await act("start", START), forever()),
    });
    // Both attempts: what went back into the pool would be met by the next test.
    await until(async () => (await look(id)).status === "failed");
    await worker.stop();
    expect((await look(id)).data.last_error).toBe("It took longer than 0.2 s.");
  });

  test("tells how far it is, the latest only, and never fails for it", async () => {
    const [id = ""] = await add(1);
    const told: unknown[] = [];
    work({
      progressEveryMs: 50,
      tellProgress: (progress) => {
        told.push(progress);
        return Promise.reject(new Error("nobody listens"));
      },
      run: async (_, { act, progress }) => {
        await act("start", START);
        for (let done = 1; done <= 100; done++) progress(done);
        await until(() => told.length === 2);
        return DONE;
      },
    });
    await until(async () => (await look(id)).status === "completed");
    expect(told).toEqual([1, 100]);
  });
});

describe("a worker that stops", () => {
  test("lets runs finish, gives back what has not begun, and no attempt is counted", async () => {
    const ids = await add(6);
    const gate = deferred();
    const worker = work({
      concurrency: 2,
      ahead: 3,
      run: async (_, { act }) => (await act("start", START), await gate.promise, DONE),
    });
    await until(() => worker.running === 2);
    const stopped = worker.stop();
    await until(() => worker.events.filter(({ kind }) => kind === "released").length === 3);
    gate.resolve();
    await stopped;
    const tasks = await Promise.all(ids.map(look));
    expect(tasks.map(({ status }) => status).sort()).toEqual([
      "completed",
      "completed",
      ...Array.from({ length: 4 }, () => "ready"),
    ]);
    expect(tasks.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 6 }, () => 0));
    await drain();
  });

  test("while it waits for a task leaves none behind that it was being given", async () => {
    for (let round = 0; round < 10; round++) {
      // On a slow machine the run may begin before the stop: then it is aborted, and its task given back as well.
      const worker = work({
        unwindMs: WAIT_LIMIT_MS,
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
      const { status, attempt } = await look(id);
      expect([status, attempt]).toEqual(["ready", 0]);
      await drain();
    }
  });

  test("aborts what takes too long and releases it; one that heeds nothing is left to its lease", async () => {
    const [heeds = "", hangs = ""] = await add(2);
    const worker = work({
      concurrency: 2,
      // The release of one has twice this long, and the other is waited for as long as this.
      unwindMs: 5_000,
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
    const patient = worker.stop({ graceMs: 600_000 });
    await worker.stop({ graceMs: 50 });
    await patient;
    await worker.stop();
    expect([(await look(heeds)).status, (await look(hangs)).status]).toEqual(["ready", "claimed"]);
    await shop.sql`update pawl.task set due_at = now() where id = ${hangs}`;
    await sweepUntil(async () => (await look(hangs)).status === "ready");
    await drain();
  });

  test("by itself says why: nobody can work with a token that is not taken", async () => {
    const { startWorker } = await import("../../src/worker/index.ts");
    const { createClient } = await import("../../src/client/index.ts");
    const { code } = await import("../../src/lifecycles/code/index.ts");
    const client = createClient({ url: shop.url, token: "nonsense" });
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

/** Nobody finds any more what a test has left in the pool. */
async function drain(): Promise<void> {
  await shop.ask("POST /api/claims", { token: shop.token, body: { lifecycle: "code", limit: 100 } });
}
