import { access, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseSetupCache } from "../../../src/lifecycles/code/worker/setup-cache.ts";
import type { WorktreeSetup } from "../../../src/lifecycles/code/worker/set-up-worktree.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const whenIn = (status: string, { id }: CodeTask) =>
  until(async () => (await server.getTask(id)).status === status);
const operate = (task: CodeTask, action: string, payload?: { reason: string }) =>
  server.act(task, action, payload, { token: server.lea, lease_token: null });

/** The clean-up after each attempt makes the next one set its worktree up again. */
const setupWith = (changes: Partial<WorktreeSetup>): WorktreeSetup => ({
  command: null,
  timeoutMs: 60_000,
  copy: [],
  caches: [],
  cleanup: "true",
  cleanupTimeoutMs: 60_000,
  ...changes,
});

/** A script that does one thing in the first attempt, and another one in those after it. */
const inTurns = (first: string, later: string) =>
  `if [ ! -e "$NOTES/first" ]; then touch "$NOTES/first"; ${first}; else ${later}; fi`;

async function ignore({ repo, git }: TestRepository, ...files: string[]): Promise<void> {
  await writeFile(join(repo, ".gitignore"), `${files.join("\n")}\n`);
  await writeFile(join(repo, "lock"), "1\n");
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "files");
}

describe("a worktree that is set up again for a continued attempt", () => {
  const settings = { continue: true };

  test("keeps the work of the attempt before it", async () => {
    const { add, agent, work, git } = await createTestRepository(server, { settings, lease_seconds: 60 });
    const task = await add("Write two");
    await work({
      setup: setupWith({ command: "echo x > left-over" }),
      agent: await agent(inTurns("echo two > two; echo more >> list; exit 1", "echo three > three")),
    });
    await whenIn("completed", task);
    expect(await git("ls-tree", "--name-only", "main")).toBe("list\nthree\ntwo");
    expect(await git("show", "main:list")).toBe("one\nmore");
    expect((await server.getTask(task.id)).attempts).toBe(1);
  });

  test("still refuses to merge the copied files", async () => {
    const bench = await createTestRepository(server, { settings, lease_seconds: 60 });
    const { add, agent, work, repo, git } = bench;
    await ignore(bench, ".env");
    await writeFile(join(repo, ".env"), "SECRET=1\n");
    const task = await add("Write two", { max_attempts: 1 });
    await work({
      setup: setupWith({ copy: [".env"] }),
      agent: await agent(inTurns("exit 1", "echo two > two; echo > .gitignore")),
    });
    await whenIn("failed", task);
    expect((await server.getTask(task.id)).last_error).toContain("The work contains .env");
    expect(await git("log", "--format=%s", "main")).toBe("files\nfirst");
  });

  test("stores nothing of an agent in the cache", async () => {
    const bench = await createTestRepository(server, { settings, lease_seconds: 60 });
    const { add, agent, work, note, folder } = bench;
    await ignore(bench, "node_modules");
    const task = await add("Write two");
    const worker = await work({
      setup: setupWith({
        command: "mkdir -p node_modules; [ -e node_modules/x ] || echo clean > node_modules/x",
        caches: [parseSetupCache("lock:node_modules")],
      }),
      agent: await agent(
        inTurns(
          `echo spoilt > node_modules/x; rm -rf ${folder}/shop.pawl/caches/*; exit 1`,
          'cat node_modules/x >> "$NOTES/seen"; cat "$NOTES/seen" > two',
        ),
      ),
    });
    await whenIn("completed", task);
    await whenIn("completed", await add("Write three"));
    await worker.stop();
    expect(await note("seen")).toBe("spoilt\nclean\n");
  });
});

describe("the clean-up command", () => {
  /** A worker whose agent waits until it is stopped. */
  async function runStopped() {
    const bench = await createTestRepository(server, {
      settings: { operator_controls: true },
      lease_seconds: 60,
    });
    const { add, agent, work, folder } = bench;
    const task = await add("Write two");
    const waiting = await agent('touch "$NOTES/began"; exec sleep 600');
    const setup = setupWith({ cleanup: `echo "$PAWL_TASK_ID" >> ${folder}/cleaned` });
    const worker = await work({ setup, agent: waiting });
    await until(() =>
      access(join(folder, "began")).then(
        () => true,
        () => false,
      ),
    );
    expect(await operate(task, "interrupt")).toBe("claimed");
    return { ...bench, task, worker };
  }

  test("runs when a person has stopped the task, and only once", async () => {
    const { task, worker, note } = await runStopped();
    await until(() =>
      note("cleaned").then(
        () => true,
        () => false,
      ),
    );
    await server.engine.sweep();
    await whenIn("ready", task);
    expect(await operate(task, "withdraw", { reason: "not needed" })).toBe("failed");
    await worker.stop();
    expect(await note("cleaned")).toBe(`${task.id}\n`);
    expect(worker.events).toContainEqual(
      expect.objectContaining({ kind: "lost", why: "A person has stopped it." }),
    );
  });

  test("waits for an agent that is still ending, also when another task is cleaned up", async () => {
    const { add, agent, work, folder, note } = await createTestRepository(server, {
      settings: { operator_controls: true },
      lease_seconds: 60,
    });
    const tasks = [await add("Write two"), await add("Write three")];
    const lingering = `touch lingers; trap 'sleep 2; touch "$NOTES/ended"; exit 1' TERM; touch "$NOTES/began"`;
    const worker = await work(
      {
        setup: setupWith({
          cleanup: `[ -e lingers ] && [ ! -e ${folder}/ended ] && echo early >> ${folder}/cleaned; echo "$PAWL_TASK_ID" >> ${folder}/cleaned`,
        }),
        agent: await agent(`${inTurns(lingering, 'touch "$NOTES/second"')}; while true; do sleep 0.1; done`),
      },
      { workers: 2 },
    );
    for (const file of ["began", "second"])
      await until(() =>
        access(join(folder, file)).then(
          () => true,
          () => false,
        ),
      );
    for (const task of tasks) expect(await operate(task, "interrupt")).toBe("claimed");
    const cleaned = async () => (await note("cleaned").catch(() => "")).split("\n").filter(Boolean);
    await until(async () => (await cleaned()).length >= 2);
    expect((await cleaned()).sort()).toEqual(tasks.map(({ id }) => id).sort());
    await worker.stop();
  });

  test("runs for a task that failed while its worker was gone", async () => {
    const bench = await createTestRepository(server, {
      settings: { operator_controls: true },
      lease_seconds: 60,
    });
    const { add, agent, work, note, folder } = bench;
    const task = await add("Write two", { max_attempts: 1 });
    // Without a clean-up of its own, the first worker leaves the worktree as a killed one does.
    const first = await work({
      setup: setupWith({ command: "true", cleanup: null }),
      agent: await agent('touch "$NOTES/began"; exec sleep 600'),
    });
    await until(() =>
      access(join(folder, "began")).then(
        () => true,
        () => false,
      ),
    );
    expect(await operate(task, "interrupt")).toBe("claimed");
    await server.engine.sweep();
    expect(await operate(task, "withdraw", { reason: "not needed" })).toBe("failed");
    await first.stop();
    await work({ setup: setupWith({ cleanup: `echo "$PAWL_TASK_ID" >> ${folder}/cleaned` }) });
    await until(() =>
      note("cleaned").then(
        () => true,
        () => false,
      ),
    );
    expect(await note("cleaned")).toBe(`${task.id}\n`);
    expect(await readdir(join(folder, "shop.pawl/worktrees"))).toHaveLength(1);
  });
});
