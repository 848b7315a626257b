import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BUILT_PAWL } from "../../support/built-pawl.ts";
import { endLeasesOf } from "../../support/end-leases.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository, gitEnvironment, snapshotOf } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const { getTask } = server;

/** A point at which a worker is killed: a request, before or after the server gets it. */
type Point = { request: string; when: "before" | "after" };

describe("a worker that is killed with -9", () => {
  test.each<[Point, number]>([
    // Nothing is on the server yet, so the agent works again.
    [{ request: "/diff", when: "before" }, 2],
    [{ request: "/diff", when: "after" }, 2],
    [{ request: "request_review", when: "before" }, 2],
    // The review is requested.
    [{ request: "request_review", when: "after" }, 1],
  ])(
    "at %o around the review leads to one merge after the approval; the agent ran %i times",
    async (point, runs) => {
      const bench = await createTestRepository(server, { settings: { review: true } });
      const { agent, history, note, read } = bench;
      const before = await dirtySnapshot(bench);
      const task = await bench.add("Write two");
      const script = await agent(`echo run >> "$NOTES/runs"; echo two > two`);
      await killAt(bench, script, point);
      const worker = await bench.work({ agent: script });
      await whenIn(task, "review");
      expect(await history()).toEqual([]);
      await approve(task);
      await whenIn(task, "completed");
      await worker.stop();
      expect([await history(), await read("two")]).toEqual([["Write two"], "two"]);
      expect((await note("runs")).trim().split("\n")).toHaveLength(runs);
      await expectClean(bench, task, before);
    },
  );

  test.each<Point>([
    { request: '"start"', when: "after" },
    { request: "record_merge", when: "before" },
    { request: "record_merge", when: "after" },
    { request: '"complete"', when: "before" },
    { request: '"complete"', when: "after" },
  ])("at %o while it merges approved work leads to one merge, without the agent", async (point) => {
    const bench = await createTestRepository(server, {
      settings: { review: true, merge_strategy: "squash" },
    });
    const { agent, history, note, git } = bench;
    const before = await dirtySnapshot(bench);
    const task = await bench.add("Write two");
    const script = await agent(`
      echo run >> "$NOTES/runs"; echo two > two; git add two; git commit -qm Two; echo three > three`);
    const first = await bench.work({ agent: script });
    await whenIn(task, "review");
    await first.stop();
    await git("commit-tree", "main^{tree}", "-p", "main", "-m", "other").then((other) =>
      git("update-ref", "refs/heads/main", other),
    );
    await approve(task);
    await killAt(bench, script, point);
    const second = await bench.work({ agent: script });
    await whenIn(task, "completed");
    await second.stop();
    expect(await history()).toEqual(["other", "Write two"]);
    expect((await note("runs")).trim().split("\n")).toHaveLength(1);
    await expectClean(bench, task, before);
  });
});

type Bench = Awaited<ReturnType<typeof createTestRepository>>;

async function dirtySnapshot(bench: Bench) {
  await writeFile(join(bench.repo, "list"), "one\nand a half\n");
  await writeFile(join(bench.repo, "draft"), "mine\n");
  await bench.git("add", "draft");
  return snapshotOf(bench);
}

async function expectClean(bench: Bench, task: CodeTask, before: object): Promise<void> {
  const { git } = bench;
  expect(await getTask(task.id)).toMatchObject({ commit: await git("rev-parse", "main") });
  expect(await git("log", "--merges", "--format=%h", "main")).toBe("");
  expect(await git("fsck", "--no-dangling", "--strict")).toBe("");
  expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
  expect(await git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main");
  expect(await snapshotOf(bench)).toEqual(before);
  const [completions] = await server.sql<{ n: number }[]>`
    select count(*)::integer as n from pawl.event e
    where e.org_id = 'main' and e.task_id = ${task.id} and e.action = 'complete'`;
  expect(completions?.n).toBe(1);
}

/** Runs a worker process through a proxy that kills it at a request, and then expires its lease. */
async function killAt({ repo, folder, project_id }: Bench, agent: string, { request, when }: Point) {
  const id = `w-${project_id.slice(-12)}`;
  const token = await server.member({ id, kind: "worker", roles: ["worker"] });
  const state: { child?: ChildProcess; killed: boolean } = { killed: false };
  const kill = () => {
    state.killed = true;
    state.child?.kill("SIGKILL");
  };
  const proxy = createServer((incoming, outgoing) => {
    void (async () => {
      const body = Buffer.concat(await incoming.toArray());
      const isPoint = `${incoming.url ?? ""} ${body.toString()}`.includes(request);
      if (isPoint && when === "before") {
        kill();
        return;
      }
      const headers = Object.fromEntries(
        Object.entries(incoming.headers).filter(
          ([name]) => !["host", "connection", "content-length"].includes(name),
        ),
      ) as Record<string, string>;
      const method = incoming.method ?? "GET";
      const reply = await fetch(`${server.url}${incoming.url ?? ""}`, {
        ...{ method, headers },
        ...(body.length === 0 ? {} : { body }),
      });
      const text = await reply.text();
      if (isPoint) {
        kill();
        return;
      }
      const type = reply.headers.get("content-type") ?? "application/json";
      outgoing.writeHead(reply.status, { "content-type": type }).end(text);
    })().catch(() => outgoing.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const args = ["code", "run", "--repo", repo, "--project", project_id, "--agent", agent];
  const child = spawn(process.execPath, [...BUILT_PAWL, ...args], {
    cwd: folder,
    env: { ...gitEnvironment(), PAWL_URL: url, PAWL_TOKEN: token },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  onTestFinished(() => void child.kill("SIGKILL"));
  state.child = child;
  await once(child, "close");
  expect(state.killed, output).toBe(true);
  await endLeasesOf(server.sql, id);
  await server.engine.sweep();
  await server.engine.sweep();
}

function whenIn({ id }: CodeTask, status: string) {
  return until(async () => (await getTask(id)).status === status);
}

async function approve(task: CodeTask): Promise<void> {
  expect(await server.act(task, "approve", undefined, { token: server.lea, lease_token: null })).toBe(
    "ready",
  );
}
