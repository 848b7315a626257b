import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { code } from "../../src/lifecycles/code/lifecycle.ts";
import { startWorker } from "../../src/worker/index.ts";
import type { Move, Work, WorkerEvent } from "../../src/worker/index.ts";
import { openBadLine } from "../client/faulty-proxy.ts";
import type { Fate } from "../client/faulty-proxy.ts";
import { startTestServer } from "../http/test-server.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";
import { deferred, DONE, startWorkerServer, START } from "./worker-server.ts";
import type { CodeTask } from "./worker-server.ts";

const server = await startWorkerServer({ leaseSeconds: 2.5 });
const { add, fetchTask, work, journal, sweepUntil } = server;
const COMPLETED_JOURNAL = ["create", "claim", "start", "complete"];

/** Started before the tests and checked after them, so that no test waits for it. */
const outage = surviveOutage(30_000);
outage.catch(() => undefined);

test("an idle worker claims at most once in five seconds, even if the server answers at once", async () => {
  const line = await openBadLine(server.url);
  const patient = work({ run: () => Promise.resolve(DONE) }, line.url);
  const hasty = work({ waitSeconds: 0, run: () => Promise.resolve(DONE) }, line.url);
  const startedAt = performance.now();
  await pause(2_500);
  await Promise.all([patient.stop(), hasty.stop()]);
  const rounds = Math.ceil((performance.now() - startedAt) / 5_000);
  // One claim each in five seconds, and one more each that repeats the claim in progress at the stop.
  expect(line.requests.length).toBeLessThanOrEqual(2 * rounds + 2);
});

test("a result whose reply is lost is reported once", async () => {
  const line = await openBadLine(server.url);
  const cut = new Set(["cut after", "503 after", "cut before"] as const);
  const fates = [...cut];
  line.fate = ({ url }) => (url?.includes("transitions") ? (fates.shift() ?? "pass") : "pass");
  const [id = ""] = await add(1);
  work({ run: async (_, { act }) => (await act("start", START), DONE) }, line.url);
  await until(async () => (await fetchTask(id)).status === "completed");
  expect(await journal(id)).toEqual(COMPLETED_JOURNAL);
});

test("moves of the same moment are sent in one request, which is lost, repeated, and takes effect once", async () => {
  const line = await openBadLine(server.url);
  const fates: Fate[] = ["cut after", "503 after", "cut before"];
  line.fate = ({ url }) => (url === "/api/transitions" ? (fates.shift() ?? "pass") : "pass");
  const ids = await add(20);
  const run = async (_: CodeTask, { act }: Work<typeof code>) => (await act("start", START), DONE);
  work({ run, concurrency: 20 }, line.url);
  await until(async () => (await fetchTask(ids.at(-1) ?? "")).status === "completed");
  expect(await Promise.all(ids.map(journal))).toEqual(ids.map(() => COMPLETED_JOURNAL));
  const moves = line.requests.filter(({ what }) => what.includes("transitions"));
  expect(fates).toEqual([]);
  expect(moves.length).toBeLessThan(ids.length);
});

test("an invalid move does not stop the other moves in its request", async () => {
  const line = await openBadLine(server.url);
  const [bad = "", ...good] = await add(5);
  const together = deferred();
  let started = 0;
  const run = async ({ id }: CodeTask, { act }: Work<typeof code>) => {
    await act("start", START);
    if (++started === 5) together.resolve();
    await together.promise;
    return id === bad ? ({ ...DONE, comment: 5 } as unknown as Move<typeof code>) : DONE;
  };
  const giveUp: Move<typeof code> = { action: "fail", payload: { error: "refused", recoverable: false } };
  const worker = work({ run, concurrency: 5, failed: () => giveUp }, line.url);
  const eventsOf = (id: string) =>
    worker.events.filter((event) => "task" in event && event.task.id === id).map(({ kind }) => kind);
  await until(
    () => eventsOf(bad).includes("failed") && good.every((id) => eventsOf(id).includes("finished")),
  );
  expect(line.requests.filter(({ what }) => what.includes("/api/transitions")).length).toBeGreaterThan(1);
  expect((await fetchTask(bad)).status).toBe("failed");
});

test.each<[string, Partial<Parameters<typeof work>[0]>, "stop" | "wait"]>([
  ["stops", { release: giveBack }, "stop"],
  ["times out", { timeoutMs: 500, failed: (_, task) => giveBack(task) }, "wait"],
])(
  "a run that %s while a move is unanswered releases its task from the status that the server has",
  async (_, options, end) => {
    const line = await openBadLine(server.url);
    const fates: Fate[] = ["silence"];
    line.fate = ({ url }) => (url?.includes("transitions") ? (fates.shift() ?? "pass") : "pass");
    const [id = ""] = await add(1);
    let runs = 0;
    const worker = work(
      {
        abortGraceMs: WAIT_LIMIT_MS,
        run: async (_, { act, signal }) => {
          if (++runs > 1) return waitFor(signal);
          await act("start", START);
          return DONE;
        },
        ...options,
      },
      line.url,
    );
    await until(async () => (await journal(id)).includes("start"));
    if (end === "stop") await worker.stop({ graceMs: 0 });
    await until(async () => (await journal(id)).includes("release"));
    expect((await journal(id)).slice(0, 5)).toEqual(["create", "claim", "start", "retry", "release"]);
    expect((await fetchTask(id)).attempt).toBe(0);
    await worker.stop({ graceMs: 0 });
    await server.ask("POST /api/claims", { token: server.token, body: { lifecycle: "code", limit: 100 } });
  },
);

test("a worker whose network fails aborts its run, and another worker finishes the task, once", async () => {
  const line = await openBadLine(server.url);
  const [id = ""] = await add(1);
  const ended = deferred<string>();
  const cut = work(
    {
      run: async (_, { act, signal }) => {
        await act("start", START);
        line.fate = () => "cut before";
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        ended.resolve((signal.reason as Error).message);
        return DONE;
      },
    },
    line.url,
  );
  expect(await ended.promise).toMatch(/expired/);
  const other = work({ run: async (_, { act }) => (await act("start", START), DONE) });
  await sweepUntil(async () => (await fetchTask(id)).status === "completed");
  line.fate = () => "pass";
  // The late report of the first worker is refused because of its lease token.
  await until(() => cut.events.some(({ kind }) => kind === "lost"));
  expect(other.events.filter(({ kind }) => kind === "finished")).toHaveLength(1);
  expect(await journal(id)).toEqual([
    "create",
    "claim",
    "start",
    "lease_lost",
    "claim_timeout",
    "claim",
    "start",
    "complete",
  ]);
});

test("a worker on a slow network loses leases that it cannot renew, and every task is finished once", async () => {
  const line = await openBadLine(server.url);
  const run: Parameters<typeof work>[0]["run"] = async (_, { act }) => (
    await act("start", START),
    await pause(300),
    DONE
  );
  // Heartbeats arrive too late, and so do many reports.
  line.delayMs = 1_200;
  const ids = await add(4, { max_attempts: 50 });
  const slow = work({ run, concurrency: 2, failed: () => null }, line.url);
  await until(() => slow.events.some(({ kind }) => kind === "started"));
  work({ run });
  await sweepUntil(async () => {
    const tasks = await Promise.all(ids.map(fetchTask));
    return tasks.every(({ status }) => status === "completed");
  });
  for (const id of ids) expect((await journal(id)).filter((action) => action === "complete")).toHaveLength(1);
});

test("a task of a process that exits in its handler is finished by another worker", async () => {
  const [id = ""] = await add(1);
  expect(await difficultWorker("exit")).toBe(7);
  expect((await fetchTask(id)).status).toBe("in_progress");
  work({ run: async (_, { act }) => (await act("start", START), DONE) });
  await sweepUntil(async () => (await fetchTask(id)).status === "completed");
  expect((await fetchTask(id)).attempt).toBe(1);
});

test("a handler that blocks its process for longer than the lease keeps it", async () => {
  const [id = ""] = await add(1);
  let ended: number | null = null;
  void difficultWorker("block").then((exitCode) => (ended = exitCode));
  await sweepUntil(() => ended !== null);
  expect([ended, await journal(id)]).toEqual([1, COMPLETED_JOURNAL]);
});

test("a process whose main thread is blocked for too long loses its lease", async () => {
  const [id = ""] = await add(1);
  let ended: number | null = null;
  void difficultWorker("block", 500).then((exitCode) => (ended = exitCode));
  await sweepUntil(() => ended !== null);
  expect(ended).toBe(2);
  const [, , , ...rest] = await journal(id);
  expect(rest.slice(0, 2)).toEqual(["lease_lost", "claim_timeout"]);
  expect(rest).not.toContain("complete");
});

/** Like the worker of code: releases the task without counting an attempt, from any status. */
function giveBack({ status }: Pick<CodeTask, "status">): Move<typeof code>[] {
  const retry = { action: "retry" as const, payload: { error: "interrupted", interrupted: true } };
  return [...(status === "in_progress" ? [retry] : []), { action: "release" }];
}

function waitFor(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
  });
}

/** Returns the exit code: 1 if it finished its task, 2 if it lost it. */
async function difficultWorker(
  behaviour: "exit" | "block",
  mainThreadTimeoutMs = 600_000,
): Promise<number | null> {
  const script = new URL("./difficult-worker.ts", import.meta.url).pathname;
  const args = [
    "--import",
    import.meta.resolve("tsx"),
    script,
    server.url,
    behaviour,
    String(mainThreadTimeoutMs),
  ];
  const env = { PATH: process.env.PATH, PAWL_TOKEN: server.token };
  const child = spawn(process.execPath, args, { env, stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [exitCode] = (await once(child, "exit")) as [number | null];
  return exitCode;
}

test("a server that is down for half a minute costs nothing: the result of a run arrives once, and work goes on", async () => {
  const { events, journals } = await outage;
  expect(journals).toEqual([COMPLETED_JOURNAL, COMPLETED_JOURNAL]);
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["unreachable", "reached"]));
  for (const kind of ["lost", "failed", "refused", "released"] as const)
    expect(events.filter((event) => event.kind === kind)).toEqual([]);
});

/** Runs a worker whose server is down for `ms`, in a separate org with the default lease. */
async function surviveOutage(ms: number) {
  const token = await server.member({ id: "worker", kind: "worker", roles: ["worker"] }, "outage");
  const there = createClient({ url: server.url, token });
  const node = await startTestServer({ sameDatabaseAs: server });
  const line = await openBadLine(node.url);
  const add = async () => (await there.createTask({ lifecycle: "code", title: "Fix it" })).id;
  const reaches = (id: string, status: string) =>
    until(async () => (await there.getTask({ id })).status === status);
  const journal = async (id: string) =>
    (await there.listTaskEvents({ id })).events.map(({ action }) => action);
  const gate = deferred();
  const events: WorkerEvent<typeof code>[] = [];
  const worker = startWorker({
    client: createClient({ url: line.url, token }),
    lifecycle: code,
    failed: () => null,
    run: async (_, { act }) => (await act("start", START), await gate.promise, DONE),
    onEvent: (event) => events.push(event),
  });
  const first = await add();
  await reaches(first, "in_progress");
  await node.close();
  const down = pause(ms);
  gate.resolve();
  await down;
  line.leadTo(server.url);
  await reaches(first, "completed");
  const second = await add();
  await reaches(second, "completed");
  await worker.stop();
  return { events, journals: [await journal(first), await journal(second)] };
}
