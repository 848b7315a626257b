import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseSetupCache } from "../../../src/lifecycles/code/worker/setup-cache.ts";
import type { WorktreeSetup } from "../../../src/lifecycles/code/worker/set-up-worktree.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository, snapshotOf } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const whenIn = (status: string, { id }: CodeTask) =>
  until(async () => (await server.getTask(id)).status === status);
const setupWith = (changes: Partial<WorktreeSetup>): WorktreeSetup => ({
  command: null,
  timeoutMs: 60_000,
  copy: [],
  caches: [],
  cleanup: null,
  cleanupTimeoutMs: 60_000,
  ...changes,
});
const NODE_MODULES = [parseSetupCache("lock:node_modules")];

/** Commits files to main, without an agent. */
async function commit({ repo, git }: TestRepository, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(repo, name), text);
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "files");
}

describe("the set-up command", () => {
  test("runs before the agent, with its output in the log of the attempt", async () => {
    const repository = await createTestRepository(server);
    const { add, agent, work, note, history } = repository;
    await commit(repository, { ".gitignore": "made\n" });
    const task = await add("Write two");
    await work({
      setup: setupWith({ command: 'echo installing "$PAWL_TASK_ID" in "$PAWL_CHECKOUT"; echo x > made' }),
      agent: await agent('cat made > "$NOTES/seen"; echo two > two'),
    });
    await whenIn("completed", task);
    expect(await note("seen")).toBe("x\n");
    const { log } = await server.getTask(task.id);
    expect(log).toContain(`installing ${task.id} in ${repository.repo}`);
    const file = (await readdir(join(repository.folder, "shop.pawl/logs")))[0] ?? "";
    expect(await readFile(join(repository.folder, "shop.pawl/logs", file), "utf8")).toContain("installing");
    expect(await history()).toEqual(["files", "Write two"]);
  });

  test("fails the attempt with its output if it fails or takes too long, and the agent does not run", async () => {
    const { add, agent, work, folder } = await createTestRepository(server);
    const noticing = await agent('touch "$NOTES/ran"; echo two > two');
    const WRONG: [setup: Partial<WorktreeSetup>, error: RegExp][] = [
      [
        { command: "echo no registry; exit 4" },
        /set-up failed, and the agent did not run.*exit code 4.\nno registry/,
      ],
      [{ command: "sleep 600", timeoutMs: 50 }, /did not finish within/],
    ];
    for (const [changes, error] of WRONG) {
      const task = await add("Write two", { max_attempts: 1 });
      const worker = await work({ setup: setupWith(changes), agent: noticing });
      await whenIn("failed", task);
      await worker.stop();
      const { runs, last_error } = await server.getTask(task.id);
      expect(runs).toMatchObject([{ outcome: "retried" }, { outcome: "failed" }]);
      expect(last_error).toMatch(error);
    }
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  test("stops the worker after three failures in a row, instead of failing the whole queue", async () => {
    const { add, work } = await createTestRepository(server);
    const tasks = [];
    for (const name of ["a", "b", "c", "d", "e"]) tasks.push(await add(name, { max_attempts: 1 }));
    const worker = await work({ setup: setupWith({ command: "false" }) });
    await worker.finished;
    expect(worker.failure()?.message).toMatch(/set-up failed 3 times in a row/);
    const statuses = await Promise.all(tasks.map(async ({ id }) => (await server.getTask(id)).status));
    expect(statuses.sort()).toEqual(["failed", "ready", "ready", "ready", "ready"]);
  });

  test("discards its changes to files that git does not ignore", async () => {
    const { add, agent, work, git } = await createTestRepository(server);
    const task = await add("Write two");
    await work({
      setup: setupWith({ command: "echo changed > list; echo new > left-over" }),
      agent: await agent("echo two > two"),
    });
    await whenIn("completed", task);
    expect(await git("ls-tree", "--name-only", "main")).toBe("list\ntwo");
    expect(await git("show", "main:list")).toBe("one");
    expect((await server.getTask(task.id)).log).toMatch(/discarded changes of the set-up.*list, left-over/);
  });
});

describe("copied files", () => {
  test("are the ignored files that match, and the user's checkout stays as it was", async () => {
    const repository = await createTestRepository(server);
    const { add, agent, work, note, repo, git } = repository;
    await commit(repository, { ".gitignore": ".env\n*.local\n" });
    await mkdir(join(repo, "config"));
    await writeFile(join(repo, ".env"), "SECRET=1\n", { mode: 0o600 });
    await writeFile(join(repo, "config/a.local"), "a\n");
    await writeFile(join(repo, "config/b.other"), "b\n");
    await symlink("a.local", join(repo, "config/link.local"));
    await writeFile(join(repo, "draft"), "mine\n");
    const before = await snapshotOf(repository);
    const task = await add("Write two");
    await work({
      setup: setupWith({ copy: [".env", "config/*.local", "gone/*.local"] }),
      agent: await agent(
        'cat .env config/link.local > "$NOTES/seen"; ls config > "$NOTES/listed"; stat -c %a .env > "$NOTES/mode"; echo two > two',
      ),
    });
    await whenIn("completed", task);
    expect(await note("seen")).toBe("SECRET=1\na\n");
    expect(await note("listed")).toBe("a.local\nlink.local\n");
    expect(await note("mode")).toBe("600\n");
    expect(await git("ls-tree", "-r", "--name-only", "main")).toBe(".gitignore\nlist\ntwo");
    expect((await server.getTask(task.id)).log).toContain("no ignored file matches gone/*.local");
    expect(await snapshotOf(repository)).toEqual(before);
  });

  test("are refused if they lead out of the repository or would be merged", async () => {
    const repository = await createTestRepository(server);
    const { add, work, repo, folder } = repository;
    await commit(repository, { ".gitignore": "*.local\n" });
    await writeFile(join(folder, "secret"), "outside");
    await mkdir(join(folder, "elsewhere"));
    await writeFile(join(folder, "elsewhere/x.local"), "outside");
    await symlink(join(folder, "secret"), join(repo, "absolute.local"));
    await symlink("../secret", join(repo, "relative.local"));
    await writeFile(join(repo, "plain"), "not ignored");
    const WRONG: [pattern: string, error: RegExp][] = [
      ["absolute.local", /absolute\.local is a link out of the repository/],
      ["relative.local", /relative\.local is a link out of the repository/],
      ["plain", /plain is not ignored by git/],
    ];
    for (const [pattern, error] of WRONG) {
      const task = await add(`Copy ${pattern}`, { max_attempts: 1 });
      const worker = await work({ setup: setupWith({ copy: [pattern] }), agent: "false" });
      await whenIn("failed", task);
      await worker.stop();
      expect((await server.getTask(task.id)).last_error).toMatch(error);
    }
  });

  test("are not written through a link of the target branch", async () => {
    const repository = await createTestRepository(server);
    const { add, work, repo, folder, git } = repository;
    await mkdir(join(folder, "victim"));
    await symlink(join(folder, "victim"), join(repo, "config"));
    await commit(repository, { ".gitignore": "*.local\n" });
    // The user's checkout is on a branch where it is a folder.
    await git("switch", "--quiet", "-c", "mine");
    await git("rm", "--quiet", "config");
    await mkdir(join(repo, "config"));
    await writeFile(join(repo, "config/a.local"), "a");
    await git("commit", "--quiet", "-am", "folder");
    const task = await add("Write two", { max_attempts: 1 });
    await work({ setup: setupWith({ copy: ["config/*.local"] }), agent: "false" }, { target: "main" });
    await whenIn("failed", task);
    expect(await readdir(join(folder, "victim"))).toEqual([]);
  });

  test("are not merged, even if the agent stops ignoring them", async () => {
    const repository = await createTestRepository(server);
    const { add, agent, work, repo, git } = repository;
    await commit(repository, { ".gitignore": ".env\n" });
    await writeFile(join(repo, ".env"), "SECRET=1\n");
    const task = await add("Write two", { max_attempts: 1 });
    await work({
      setup: setupWith({ copy: [".env"] }),
      agent: await agent(`
        if [ ! -e "$NOTES/first" ]; then
          touch "$NOTES/first"; git add -f .env; git commit -qm one; git rm -q --cached .env; echo > .gitignore; exit 0
        fi
        git rm -q .gitignore; echo two > two`),
    });
    await whenIn("failed", task);
    const { runs } = await server.getTask(task.id);
    const error = expect.stringContaining("The work contains .env") as string;
    expect(runs).toMatchObject([
      { outcome: "retried", error },
      { outcome: "failed", error },
    ]);
    expect(await git("log", "--format=%s", "main")).toBe("files\nfirst");
  });
});

describe("the set-up cache", () => {
  const COMMAND = "mkdir -p node_modules/a && cp lock node_modules/a/version && ln -s a node_modules/b";

  test("replaces the command while the lock file is the same; each worktree has its own copy", async () => {
    const repository = await createTestRepository(server);
    const { add, agent, work, note, folder, git } = repository;
    await commit(repository, { ".gitignore": "node_modules\n", lock: "1\n" });
    const setup = setupWith({ command: `echo ran >> ${folder}/runs; ${COMMAND}`, caches: NODE_MODULES });
    const spoiling = await agent(`
      cat node_modules/b/version >> "$NOTES/versions"; echo spoilt > node_modules/a/version
      n=$(cat "$NOTES/versions" | wc -l); echo $n > "file-$n"; [ $n != 2 ] || echo 2 > lock`);
    await work({ setup, agent: spoiling });
    for (const name of ["one", "two", "three", "four"]) await whenIn("completed", await add(name));
    // The second task changes the lock file.
    expect(await note("versions")).toBe("1\n1\n2\n2\n");
    expect(await note("runs")).toBe("ran\nran\n");
    const caches = await readdir(join(folder, "shop.pawl/caches"));
    expect(caches).toHaveLength(2);
    expect(((await stat(join(folder, "shop.pawl/caches"))).mode & 0o777).toString(8)).toBe("700");
    expect(await git("status", "--porcelain", "--untracked-files=no")).not.toContain("node_modules");
  });

  test("is used again before --verify if the replayed work has another lock file, and keeps nothing of an agent's branch", async () => {
    const repository = await createTestRepository(server);
    const { add, agent, work, note, folder } = repository;
    await commit(repository, { ".gitignore": "node_modules\n", lock: "1\n" });
    const task = await add("Write two");
    await work({
      setup: setupWith({ command: COMMAND, caches: NODE_MODULES }),
      verify: `cat node_modules/a/version > ${folder}/verified`,
      agent: await agent("echo 2 > lock"),
    });
    await whenIn("completed", task);
    expect(await note("verified")).toBe("2\n");
    expect(await readdir(join(folder, "shop.pawl/caches"))).toHaveLength(1);
  });

  test("names lock files and folders inside of the repository", () => {
    expect(parseSetupCache("a.lock, b.lock:x,y/z")).toEqual({
      locks: ["a.lock", "b.lock"],
      folders: ["x", "y/z"],
    });
    for (const text of ["lock", "lock:", ":x", "a:b:c", "../lock:x", "lock:/etc", "lock:../x", "lock:.git/x"])
      expect(() => parseSetupCache(text)).toThrow(/Invalid/);
  });
});

describe("the clean-up command", () => {
  test("runs after every attempt in its worktree; its failure changes no result", async () => {
    const { add, agent, work, note, folder } = await createTestRepository(server);
    const task = await add("Write two");
    await work({
      setup: setupWith({ cleanup: `echo cleaned "$PAWL_TASK_ID" $(ls) >> ${folder}/cleaned; exit 3` }),
      agent: await agent('[ -e "$NOTES/second" ] || { touch "$NOTES/second"; exit 1; }; echo two > two'),
    });
    await whenIn("completed", task);
    expect(await note("cleaned")).toBe(`cleaned ${task.id} list\ncleaned ${task.id} list two\n`);
    expect((await server.getTask(task.id)).log).toContain("clean-up failed:");
  });

  test("is stopped at its time limit", async () => {
    const { add, agent, work } = await createTestRepository(server);
    const task = await add("Write two");
    await work({
      setup: setupWith({ cleanup: "sleep 600", cleanupTimeoutMs: 50 }),
      agent: await agent("echo two > two"),
    });
    await whenIn("completed", task);
    expect((await server.getTask(task.id)).log).toContain("did not finish within");
  });
});

describe("reviewed work", () => {
  test("keeps its approval if the set-up fails, and is merged when it works again", async () => {
    const { add, agent, work, folder, history } = await createTestRepository(server, {
      settings: { review: true },
    });
    const task = await add("Write two");
    const setup = setupWith({ command: `[ ! -e ${folder}/broken ]`, cleanup: "true" });
    const worker = await work({ setup, agent: await agent("echo two > two") });
    await whenIn("review", task);
    await writeFile(join(folder, "broken"), "");
    expect(await server.act(task, "approve", {}, { token: server.lea })).toBe("ready");
    await until(async () => String((await server.getTask(task.id)).last_error).includes("set-up failed"));
    await worker.stop();
    expect(await server.getTask(task.id)).toMatchObject({
      status: "ready",
      attempts: 0,
      review_request: { state: "approved" },
    });
    expect(await history()).toEqual([]);
  });
});
