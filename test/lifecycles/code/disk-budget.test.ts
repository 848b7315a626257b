import { existsSync } from "node:fs";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { freeDiskSpace } from "../../../src/lifecycles/code/worker/disk-budget.ts";
import { formatSize, parseSize } from "../../../src/lifecycles/code/worker/disk-usage.ts";
import { keptWork, worktreesOf } from "../../../src/lifecycles/code/worker/worktree.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const client = createClient({ url: server.url, token: server.wim });
const whenIn = (status: string, { id }: CodeTask) =>
  until(async () => (await server.getTask(id)).status === status);
const MEGABYTE = "head -c 1000000 /dev/urandom";

test("sizes are read and written with their units", () => {
  const READ: [text: string, bytes: number | null][] = [
    ["20GB", 20e9],
    ["1.5 gb", 1.5e9],
    ["2GiB", 2 * 1024 ** 3],
    ["500", 500],
    ["0GB", null],
    ["-1GB", null],
    ["many", null],
    ["5 apples", null],
  ];
  expect(READ.map(([text]) => parseSize(text))).toEqual(READ.map(([, bytes]) => bytes));
  expect([20e9, 1.54e9, 2e6, 512].map(formatSize)).toEqual(["20 GB", "1.5 GB", "2 MB", "0.5 KB"]);
});

test("over the budget, worktrees of failed and reviewed work and then the oldest caches are removed; all work stays in git", async () => {
  const repository = await createTestRepository(server);
  const { add, agent, work, folder, open, git } = repository;
  const failing = await add("Fail", { max_attempts: 1, review: false });
  const worker = await work({ agent: await agent(`${MEGABYTE} > big; echo unmerged > work; exit 1`) });
  await whenIn("failed", failing);
  await worker.stop();
  const reviewed = await add("Review", { review: true });
  const second = await work({ agent: await agent(`${MEGABYTE} > big2`) });
  await whenIn("review", reviewed);
  await second.stop();
  const caches = join(folder, "shop.pawl/caches");
  for (const [name, day] of [
    ["older", 1],
    ["newer", 2],
  ] as const) {
    await mkdir(join(caches, name), { recursive: true });
    await writeFile(join(caches, name, "data"), "x".repeat(1_000_000));
    await utimes(join(caches, name), day * 86_400, day * 86_400);
  }
  const opened = await open();
  const before = await freeDiskSpace(opened, client, 1e9);
  expect(before.removed).toEqual([]);
  expect(before.used).toBeGreaterThan(4_000_000);
  expect(await worktreesOf(opened)).toHaveLength(2);

  // The failed one is enough.
  const first = await freeDiskSpace(opened, client, before.used - 500_000);
  expect(first.removed.map((path) => path.includes(failing.id))).toEqual([true]);
  expect((await keptWork(opened)).map(({ task_id }) => task_id)).toContain(failing.id);
  const { branch } = (await server.getTask(reviewed.id)) as unknown as { branch: string };

  const third = await freeDiskSpace(opened, client, 1_500_000);
  expect(third.removed.map((path) => path.split("/").at(-1))).toEqual([`${reviewed.id}.1`, "older"]);
  expect(third.used).toBeLessThanOrEqual(1_500_000);
  expect(existsSync(join(caches, "newer"))).toBe(true);
  expect(await git("show", `${branch}:big2`)).not.toBe("");

  // The approved work is merged from its branch.
  expect(await server.act(reviewed, "approve", {}, { token: server.lea })).toBe("ready");
  await work({ agent: "false" }, { diskBudget: 1e9 });
  await whenIn("completed", reviewed);
});

test("a worktree under review with uncommitted changes is never removed", async () => {
  const { add, agent, work, open } = await createTestRepository(server);
  const reviewed = await add("Review", { review: true });
  const worker = await work({ agent: await agent(`${MEGABYTE} > big`) });
  await whenIn("review", reviewed);
  await worker.stop();
  const opened = await open();
  const [left] = await worktreesOf(opened);
  const mine = join(left?.path ?? "", "mine");
  await writeFile(mine, "a person's note");
  const report = await freeDiskSpace(opened, client, 1_000);
  expect(report.removed).toEqual([]);
  expect(existsSync(mine)).toBe(true);
});

test("a worker that cannot free enough space claims nothing and ends with a message", async () => {
  const { add, agent, work, open } = await createTestRepository(server);
  const reviewed = await add("Review", { review: true });
  const first = await work({ agent: await agent(`${MEGABYTE} > big`) });
  await whenIn("review", reviewed);
  await first.stop();
  const [left] = await worktreesOf(await open());
  await writeFile(join(left?.path ?? "", "mine"), "a person's note");
  const task = await add("Write two");
  const worker = await work({ agent: await agent("echo two > two") }, { diskBudget: 500_000 });
  await worker.finished;
  expect(worker.failure()?.message).toMatch(/The disk budget of 500 KB is exceeded: 1(\.\d)? MB .*claimed/);
  expect(await server.getTask(task.id)).toMatchObject({ status: "ready", attempts: 0, runs: [] });
});
