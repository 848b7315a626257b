import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseSetupCache } from "../../../src/lifecycles/code/worker/setup-cache.ts";
import type { WorktreeSetup } from "../../../src/lifecycles/code/worker/set-up-worktree.ts";
import { BUILT_PAWL } from "../../support/built-pawl.ts";
import { endLeasesOf } from "../../support/end-leases.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository, gitEnvironment } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const whenIn = (status: string, { id }: CodeTask) =>
  until(async () => (await server.getTask(id)).status === status);

const FILES = 2_000;
const CACHE = "lock:node_modules";
const cachesOf = ({ folder }: TestRepository) =>
  readdir(join(folder, "shop.pawl/caches")).catch(() => [] as string[]);

type Commands = { setup: string; cleanup: string };
/** A point at which the worker is killed: a command that kills it, or a state of the disk. */
type Point = {
  point: string;
  command?: keyof Commands;
  reached?: (bench: TestRepository) => Promise<boolean>;
  cacheExists?: boolean;
};

const POINTS: Point[] = [
  { point: "the set-up command runs", command: "setup" },
  {
    point: "the cache is being stored",
    reached: async (bench) => (await cachesOf(bench)).length > 0,
  },
  {
    point: "the cache is being restored",
    cacheExists: true,
    reached: async ({ folder }) => {
      const worktrees = join(folder, "shop.pawl/worktrees");
      const [first] = await readdir(worktrees);
      return first !== undefined && (await readdir(join(worktrees, first))).includes("node_modules");
    },
  },
  { point: "the clean-up command runs", command: "cleanup" },
];

test.each(POINTS)("a worker that is killed while $point leaves nothing incomplete", async (point) => {
  const bench = await createTestRepository(server);
  const { add, agent, folder, git, history, note, repo, work } = bench;
  await writeFile(join(repo, ".gitignore"), "node_modules\n");
  await writeFile(join(repo, "lock"), "1\n");
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "files");
  const script = await agent(
    'ls node_modules | wc -l >> "$NOTES/seen"; echo "$PAWL_TASK_ID" > "$PAWL_TASK_ID"',
  );
  const commands = commandsIn(folder);
  const setup: WorktreeSetup = {
    ...{ command: commands.setup, timeoutMs: 60_000, copy: [], caches: [parseSetupCache(CACHE)] },
    ...{ cleanup: commands.cleanup, cleanupTimeoutMs: 60_000 },
  };
  if (point.cacheExists) {
    const before = await work({ setup, agent: script });
    await whenIn("completed", await add("Before"));
    await before.stop();
  }
  const task = await add("Write it");
  await killAt(bench, script, commands, point);
  const worker = await work({ setup, agent: script });
  await whenIn("completed", task);
  await worker.stop();
  expect((await history()).at(-1)).toBe("Write it");
  expect(new Set((await note("seen")).trim().split("\n"))).toEqual(new Set([String(FILES)]));
  const [cache, ...others] = await cachesOf(bench);
  expect([cache, others]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), []]);
  expect(await readdir(join(folder, "shop.pawl/caches", cache ?? "", "0"))).toHaveLength(FILES);
  expect(await readdir(join(folder, "shop.pawl/worktrees"))).toEqual([]);
  // The worktree of the killed worker is cleaned up, too. If it had merged its work, there is no other attempt.
  const cleaned = (await note("cleaned")).split("\n").filter((line) => line === task.id);
  expect(cleaned).toHaveLength(point.command === "cleanup" ? 1 : 2);
  expect(await git("fsck", "--no-dangling", "--strict")).toBe("");
});

function commandsIn(folder: string): Commands {
  return {
    setup: `mkdir -p node_modules; cd node_modules; seq ${FILES} | xargs touch`,
    cleanup: `echo "$PAWL_TASK_ID" >> ${folder}/cleaned`,
  };
}

/** Runs a worker process until it is killed at a point, and then expires its lease. */
async function killAt(
  bench: TestRepository,
  agent: string,
  commands: Commands,
  { command, reached }: Point,
): Promise<void> {
  const { repo, folder, project_id } = bench;
  const id = `w-${project_id.slice(-12)}`;
  const token = await server.member({ id, kind: "worker", roles: ["worker"] });
  // The worker is the parent of the command's shell.
  const killing = { ...commands, ...(command && { [command]: "kill -KILL $PPID; sleep 600" }) };
  const args = [
    ...["code", "run", "--repo", repo, "--project", project_id, "--agent", agent],
    ...["--setup", killing.setup, "--setup-cache", CACHE, "--cleanup", killing.cleanup],
  ];
  const child = spawn(process.execPath, [...BUILT_PAWL, ...args], {
    cwd: folder,
    env: { ...gitEnvironment(), PAWL_URL: server.url, PAWL_TOKEN: token },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = once(child, "close");
  if (reached) {
    await until(() => reached(bench));
    child.kill("SIGKILL");
  }
  expect((await closed)[1]).toBe("SIGKILL");
  await endLeasesOf(server.sql, id);
  await server.engine.sweep();
  await server.engine.sweep();
}
