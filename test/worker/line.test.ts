import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { code } from "../../src/lifecycles/code/lifecycle.ts";
import { startWorker } from "../../src/worker/index.ts";
import type { Move, Work, WorkerEvent } from "../../src/worker/index.ts";
import { openBadLine } from "../client/bad-line.ts";
import type { Fate } from "../client/bad-line.ts";
import { openFrontDesk } from "../http/front-desk.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";
import { deferred, DONE, openTestShop, START } from "./workshop.ts";
import type { CodeTask } from "./workshop.ts";

const shop = await openTestShop({ leaseSeconds: 2.5 });
const { add, look, work, journal, sweepUntil } = shop;
const LIFE = ["create", "claim", "start", "complete"];

/** Begun before the tests and looked at after them: nobody waits for it. */
const outage = outlive(30_000);
outage.catch(() => undefined);

test("a worker that does nothing asks no more than once in five seconds, even of a server that answers at once", async () => {
  const line = await openBadLine(shop.url);
  const patient = work({ run: () => Promise.resolve(DONE) }, line.url);
  const hasty = work({ waitSeconds: 0, run: () => Promise.resolve(DONE) }, line.url);
  const began = performance.now();
  await pause(2_500);
  await Promise.all([patient.stop(), hasty.stop()]);
  const rounds = Math.ceil((performance.now() - began) / 5_000);
  // One each in five seconds, and one more by which each settles what it was waiting for when it stopped.
  expect(line.requests.length).toBeLessThanOrEqual(2 * rounds + 2);
});

test("a result whose answer is lost on the way is reported once", async () => {
  const line = await openBadLine(shop.url);
  const cut = new Set(["cut after", "503 after", "cut before"] as const);
  const fates = [...cut];
  line.fate = ({ url }) => (url?.includes("transitions") ? (fates.shift() ?? "pass") : "pass");
  const [id = ""] = await add(1);
  work({ run: async (_, { act }) => (await act("start", START), DONE) }, line.url);
  await until(async () => (await look(id)).status === "completed");
  expect(await journal(id)).toEqual(LIFE);
});

test("moves that come together go in one request, which is lost, repeated, and done once", async () => {
  const line = await openBadLine(shop.url);
  const fates: Fate[] = ["cut after", "503 after", "cut before"];
  line.fate = ({ url }) => (url === "/api/transitions" ? (fates.shift() ?? "pass") : "pass");
  const ids = await add(20);
  const run = async (_: CodeTask, { act }: Work<typeof code>) => (await act("start", START), DONE);
  work({ run, concurrency: 20 }, line.url);
  await until(async () => (await look(ids.at(-1) ?? "")).status === "completed");
  expect(await Promise.all(ids.map(journal))).toEqual(ids.map(() => LIFE));
  const moves = line.requests.filter(({ what }) => what.includes("transitions"));
  expect(fates).toEqual([]);
  expect(moves.length).toBeLessThan(ids.length);
});

test("a move that the server cannot read does not keep the moves beside it", async () => {
  const line = await openBadLine(shop.url);
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
  const toldOf = (id: string) =>
    worker.events.filter((event) => "task" in event && event.task.id === id).map(({ kind }) => kind);
  await until(() => toldOf(bad).includes("failed") && good.every((id) => toldOf(id).includes("finished")));
  expect(line.requests.filter(({ what }) => what.includes("/api/transitions")).length).toBeGreaterThan(1);
  expect((await look(bad)).status).toBe("failed");
});

test.each<[string, Partial<Parameters<typeof work>[0]>, "stop" | "wait"]>([
  ["stops", { release: giveBack }, "stop"],
  ["runs out of time", { timeoutMs: 500, failed: (_, task) => giveBack(task) }, "wait"],
])(
  "a run that %s while a move is unanswered gives its task back from the status that the server has",
  async (_, options, end) => {
    const line = await openBadLine(shop.url);
    const fates: Fate[] = ["silence"];
    line.fate = ({ url }) => (url?.includes("transitions") ? (fates.shift() ?? "pass") : "pass");
    const [id = ""] = await add(1);
    let runs = 0;
    const worker = work(
      {
        unwindMs: WAIT_LIMIT_MS,
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
    expect((await look(id)).attempt).toBe(0);
    await worker.stop({ graceMs: 0 });
    await shop.ask("POST /api/claims", { token: shop.token, body: { lifecycle: "code", limit: 100 } });
  },
);

test("of two workers the one whose network fails is told to end, and the other finishes the task, once", async () => {
  const line = await openBadLine(shop.url);
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
  expect(await ended.promise).toMatch(/ran out/);
  const other = work({ run: async (_, { act }) => (await act("start", START), DONE) });
  await sweepUntil(async () => (await look(id)).status === "completed");
  line.fate = () => "pass";
  // What the first one still has to say is refused by its token.
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

test("of two workers the one on a slow network loses what it cannot keep, and every task is finished once", async () => {
  const line = await openBadLine(shop.url);
  const run: Parameters<typeof work>[0]["run"] = async (_, { act }) => (
    await act("start", START),
    await pause(300),
    DONE
  );
  // Heartbeats come too late, and so does much of what is reported.
  line.delayMs = 1_200;
  const ids = await add(4, { max_attempts: 50 });
  const slow = work({ run, concurrency: 2, failed: () => null }, line.url);
  await until(() => slow.events.some(({ kind }) => kind === "started"));
  work({ run });
  await sweepUntil(async () => {
    const tasks = await Promise.all(ids.map(look));
    return tasks.every(({ status }) => status === "completed");
  });
  for (const id of ids) expect((await journal(id)).filter((action) => action === "complete")).toHaveLength(1);
});

test("a process that a handler ends takes nobody's task along", async () => {
  const [id = ""] = await add(1);
  expect(await difficultWorker("exit")).toBe(7);
  expect((await look(id)).status).toBe("in_progress");
  work({ run: async (_, { act }) => (await act("start", START), DONE) });
  await sweepUntil(async () => (await look(id)).status === "completed");
  expect((await look(id)).attempt).toBe(1);
});

test("a handler that blocks its process for longer than the lease keeps it", async () => {
  const [id = ""] = await add(1);
  let ended: number | null = null;
  void difficultWorker("block").then((exitCode) => (ended = exitCode));
  await sweepUntil(() => ended !== null);
  expect([ended, await journal(id)]).toEqual([1, LIFE]);
});

test("a process that is too busy to say a word for very long is taken for dead", async () => {
  const [id = ""] = await add(1);
  let ended: number | null = null;
  void difficultWorker("block", 500).then((exitCode) => (ended = exitCode));
  await sweepUntil(() => ended !== null);
  expect(ended).toBe(2);
  const [, , , ...rest] = await journal(id);
  expect(rest.slice(0, 2)).toEqual(["lease_lost", "claim_timeout"]);
  expect(rest).not.toContain("complete");
});

/** As the worker of code does it: unspent, from whatever status the task has. */
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

/** Gives the code it ended with: 1 where it finished its task, 2 where it lost it. */
async function difficultWorker(manner: "exit" | "block", silenceMs = 600_000): Promise<number | null> {
  const script = new URL("./difficult-worker.ts", import.meta.url).pathname;
  const args = ["--import", import.meta.resolve("tsx"), script, shop.url, manner, String(silenceMs)];
  const env = { PATH: process.env.PATH, PAWL_TOKEN: shop.token };
  const child = spawn(process.execPath, args, { env, stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [exitCode] = (await once(child, "exit")) as [number | null];
  return exitCode;
}

test("a server that is down for half a minute costs nothing: the result of a run arrives once, and work goes on", async () => {
  const { events, journals } = await outage;
  expect(journals).toEqual([LIFE, LIFE]);
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["unreachable", "reached"]));
  for (const kind of ["lost", "failed", "refused", "released"] as const)
    expect(events.filter((event) => event.kind === kind)).toEqual([]);
});

/** In an org of its own, under a lease as long as it is unless somebody says otherwise: a worker whose server is gone. */
async function outlive(ms: number) {
  const token = await shop.member({ id: "worker", kind: "worker", roles: ["worker"] }, "outage");
  const there = createClient({ url: shop.url, token });
  const node = await openFrontDesk({ beside: shop });
  const line = await openBadLine(node.url);
  const add = async () => (await there.createTask({ lifecycle: "code", title: "Mend it" })).id;
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
  const gone = pause(ms);
  gate.resolve();
  await gone;
  line.leadTo(shop.url);
  await reaches(first, "completed");
  const second = await add();
  await reaches(second, "completed");
  await worker.stop();
  return { events, journals: [await journal(first), await journal(second)] };
}
