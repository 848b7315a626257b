import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openBadLine } from "../client/bad-line.ts";
import { openFrontDesk } from "../http/front-desk.ts";
import { deferred, DONE, openTestShop, START, until } from "./workshop.ts";

const shop = await openTestShop({ leaseSeconds: 2.5 });
const { add, look, work, journal, sweepUntil } = shop;
const LIFE = ["create", "claim", "start", "complete"];

test("a worker that does nothing asks no more than once in five seconds, even of a server that answers at once", async () => {
  const line = await openBadLine(shop.url);
  const patient = work({ run: () => Promise.resolve(DONE) }, line.url);
  const hasty = work({ waitSeconds: 0, run: () => Promise.resolve(DONE) }, line.url);
  await pause(2_500);
  await Promise.all([patient.stop(), hasty.stop()]);
  // One each, and one more by which each settles what it was waiting for when it stopped.
  expect(line.requests.length).toBeLessThanOrEqual(4);
});

test("a server that is gone for a while costs nothing: the result of a run arrives once, and work goes on", async () => {
  const node = await openFrontDesk({ beside: shop });
  const line = await openBadLine(node.url);
  const [id = ""] = await add(1);
  const gate = deferred();
  const worker = work(
    { run: async (_, { act }) => (await act("start", START), await gate.promise, DONE) },
    line.url,
  );
  await until(async () => (await look(id)).status === "in_progress");
  await node.close();
  gate.resolve();
  await until(() => worker.events.some(({ kind }) => kind === "unreachable"), 40_000);
  line.leadTo(shop.url);
  await until(async () => (await look(id)).status === "completed");
  expect(await journal(id)).toEqual(LIFE);
  const [next = ""] = await add(1);
  await until(async () => (await look(next)).status === "completed");
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
