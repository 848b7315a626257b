import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  addWorktree,
  keptWork,
  removeMerged,
  worktreesOf,
} from "../../../src/lifecycles/code/worker/worktree.ts";
import { createClient } from "../../../src/client/index.ts";
import { cleanUp } from "../../../src/lifecycles/code/worker/clean-up.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository, snapshotOf } from "./test-repository.ts";

// The environment of a user without git settings.
Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const { getTask } = server;
const statusOf = async ({ id }: CodeTask) => (await getTask(id)).status;
const whenFinal = (task: CodeTask, status = "completed") =>
  until(async () => (await statusOf(task)) === status);

describe("a repository", () => {
  test("keeps its hooks: they run on commits, and on nothing else that Pawl does", async () => {
    const { add, agent, work, repo, history, note } = await createTestRepository(server);
    const hook = async (name: string, script: string) => {
      await mkdir(join(repo, ".git/hooks"), { recursive: true });
      await writeFile(join(repo, ".git/hooks", name), `#!/bin/sh\n${script}\n`);
      await chmod(join(repo, ".git/hooks", name), 0o755);
    };
    await hook(
      "pre-commit",
      'git diff --cached | grep -q "^+bad" && { echo "no bad words" >&2; exit 1; }; exit 0',
    );
    await hook("post-checkout", "exit 1");
    const task = await add("Write a word");
    const worker = await work({
      agent: await agent(`
        cp "$PAWL_PROMPT_FILE" "$NOTES/prompt"
        if grep -q "no bad words" "$PAWL_PROMPT_FILE"; then echo good > word; else echo bad > word; fi`),
    });
    await whenFinal(task);
    expect(await history()).toEqual(["Write a word"]);
    expect(await note("prompt")).toContain("no bad words");
    await worker.stop();

    await hook("pre-commit", "sleep 30");
    const stuck = await add("Wait for a hook");
    await work({ timeoutMs: 8_000, agent: await agent("echo x > x") });
    await until(async () => (await getTask(stuck.id)).attempts === 1);
    expect((await getTask(stuck.id)).last_error).toMatch(/hooks did not finish in time/);
  });

  test("with submodules and an existing branch of the task's name works, and the branch's commit is kept", async () => {
    const bench = await createTestRepository(server);
    const { git, folder, add, agent, work, history, open } = bench;
    await git(
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      join(folder, "shop"),
      "inner",
    );
    await git("commit", "--quiet", "-m", "with a submodule");
    const task = await add("Write two");
    const other = await add("Write three");
    await git(
      "branch",
      `pawl/${task.id}`,
      await git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "somebody's own"),
    );
    await git("worktree", "add", "--quiet", "-b", `pawl/${other.id}`, join(folder, "mine"));
    const worker = await work({ agent: await agent(`echo x > "file-$PAWL_TASK_ID"`) });
    await Promise.all([whenFinal(task), whenFinal(other)]);
    await worker.stop();
    expect(await history()).toEqual(["with a submodule", "Write two", "Write three"]);
    expect((await getTask(other.id)).branch).toBe(`pawl/${other.id}-2`);
    expect(await keptWork(await open())).toMatchObject([{ task_id: task.id, subject: "somebody's own" }]);
    expect(await git("rev-parse", "--abbrev-ref", `pawl/${other.id}`)).toBe(`pawl/${other.id}`);
    expect((await git("worktree", "list")).split("\n")).toHaveLength(2);
  });

  test("is cleaned of branches of completed tasks that a killed worker left, and unmerged work on them is kept", async () => {
    const { add, agent, work, git, folder, open } = await createTestRepository(server);
    const tasks = [await add("Merged"), await add("Unmerged"), await add("Looked at")];
    const worker = await work({ agent: await agent(`echo x > "file-$PAWL_TASK_ID"`) });
    for (const task of tasks) await whenFinal(task);
    await worker.stop();
    const [merged, unmerged, checkedOut] = tasks.map(({ id }) => `pawl/${id}`);
    const pending = `pawl/${(await add("Pending")).id}`;
    const commit = await git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "more of it");
    await git("branch", merged!, "main");
    await git("branch", unmerged!, commit);
    await git("branch", pending, "main");
    await git("worktree", "add", "--quiet", "-b", checkedOut!, join(folder, "mine"));
    const client = createClient({ url: server.url, token: server.wim });
    await cleanUp(await open(), client);
    expect((await git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")).split("\n")).toEqual(
      ["main", checkedOut, pending].sort(),
    );
    expect(await keptWork(await open())).toMatchObject([{ task_id: tasks[1]!.id, commit }]);
  });

  test("serves workers that add and remove worktrees at the same time", async () => {
    const { open } = await createTestRepository(server);
    const repository = await open();
    await Promise.all(
      ["a", "b", "c"].map(async (letter) => {
        for (let round = 0; round < 25; round++) {
          const task_id = `0197a000-0000-7000-8000-${letter.repeat(4)}${String(round).padStart(8, "0")}`;
          const worktree = await addWorktree(repository, task_id);
          await removeMerged(repository, worktree, worktree.base);
        }
      }),
    );
    expect(await repository.git(["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main");
    expect(await worktreesOf(repository)).toEqual([]);
  });

  test("on a full disk stops the worker with advice, and the task is released without counting an attempt", async () => {
    const { add, agent, work, folder } = await createTestRepository(server);
    const task = await add("Write two");
    const bin = join(folder, "bin");
    await mkdir(bin);
    const real = (process.env.PATH ?? "")
      .split(":")
      .map((folderOfPath) => join(folderOfPath, "git"))
      .find(existsSync)!;
    const shim = `#!/bin/sh\ncase "$*" in *"worktree add"*) echo "fatal: write error: No space left on device" >&2; exit 128;; esac\nexec ${real} "$@"\n`;
    await writeFile(join(bin, "git"), shim, { mode: 0o755 });
    const path = process.env.PATH;
    process.env.PATH = `${bin}:${path ?? ""}`;
    try {
      const worker = await work({ agent: await agent("true") });
      await worker.finished;
      expect(worker.failure()?.message).toMatch(/^The disk is full/);
      expect(await getTask(task.id)).toMatchObject({ status: "ready", attempts: 0 });
    } finally {
      process.env.PATH = path;
    }
  });

  test("is not harmed by an agent that replaces its worktree, and neither is a repository around it", async () => {
    const bench = await createTestRepository(server);
    const { git, add, agent, work, history, repo, folder } = bench;
    // As if the home directory is under version control.
    const around = (...args: string[]) => git("-C", folder, ...args);
    await around("init", "--quiet", "--initial-branch=home");
    await writeFile(join(repo, "draft"), "mine\n");
    const before = await snapshotOf(bench);
    const task = await add("Write two", { max_attempts: 5 });
    const worker = await work({
      agent: await agent(`
        echo >> "$NOTES/tries"; echo two > two; dir=$(pwd)
        case $(wc -l < "$NOTES/tries") in
          1) rm .git;;
          2) cd /; rm -rf "$dir"; ln -s ${repo} "$dir";;
          3) rm .git; git init --quiet;;
          4) mkdir -p deep/down; git init --quiet deep/down/inner; echo x > deep/down/inner/x;;
        esac`),
    });
    await whenFinal(task);
    await worker.stop();
    const { runs } = await getTask(task.id);
    const gone = expect.stringMatching(/worktree is gone/) as string;
    expect(runs.map(({ error }) => error)).toEqual([
      gone,
      gone,
      gone,
      expect.stringMatching(/a git repository in deep\/down\/inner/),
      null,
    ]);
    expect(await history()).toEqual(["Write two"]);
    expect(await snapshotOf(bench)).toEqual(before);
    expect(await around("ls-files")).toBe("");
    await expect(around("rev-parse", "--verify", "HEAD")).rejects.toThrow();
    expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
  });
});
