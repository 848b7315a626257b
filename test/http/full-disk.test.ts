import { spawn } from "node:child_process";
import type { StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { CAN_MOUNT, fillDisk, smallDisk } from "../support/small-disk.ts";
import { emptyDatabase, scratchData } from "./running-pawl.ts";

const TOKEN = "an-admin-of-the-test";

test.runIf(existsSync("/dev/full"))(
  "a server starts, serves and counts dropped lines when the disk refuses its output and log",
  async () => {
    const full = openFile("/dev/full");
    const server = await startServer(["ignore", full, full]);
    expect(await server.droppedLines()).toBeGreaterThan(0);
    await server.ask("/api/me");
    expect(await server.stop()).toBe(0);
  },
);

test("a server keeps running when the readers of its output and log are gone", async () => {
  const server = await startServer(["ignore", "pipe", "pipe"], (child) => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
  expect(await server.droppedLines()).toBeGreaterThan(0);
  expect(await server.stop()).toBe(0);
});

test.runIf(CAN_MOUNT)(
  "a log continues when the full disk has space again, and reports how much is missing",
  async () => {
    const disk = smallDisk();
    const path = join(disk, "pawl.log");
    const server = await startServer(["ignore", "ignore", openFile(path)]);
    const free = fillDisk(disk);
    let dropped = 0;
    while (dropped === 0) {
      await server.ask("/api/me");
      dropped = await server.droppedLines();
    }
    free();
    const text = async () => readFile(path, "utf8");
    await expect.poll(text).toMatch(/log lines? (was|were) dropped/);
    const lines = (await text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const report = lines.find((line) => "dropped" in line);
    expect(report).toMatchObject({ level: 40, reason: expect.stringContaining("ENOSPC") as string });
    expect(report!.dropped).toBeGreaterThanOrEqual(dropped);
    expect(await server.stop()).toBe(0);
    expect(await text()).toMatch(/"msg":"stopped"\}\n$/);
  },
);

function openFile(path: string): number {
  const file = openSync(path, "a");
  onTestFinished(() => {
    closeSync(file);
  });
  return file;
}

/** Starts a server and reads its address from its file, because its output may be lost. */
async function startServer(
  stdio: StdioOptions,
  onSpawned: (child: ReturnType<typeof spawn>) => void = () => undefined,
) {
  const data = await scratchData();
  const env = {
    PATH: process.env.PATH,
    PAWL_LOG_LEVEL: "debug",
    PAWL_ADMIN_TOKEN: TOKEN,
    PAWL_DATA: data,
    DATABASE_URL: await emptyDatabase(),
  };
  const child = spawn(process.execPath, [...BUILT_PAWL, "start", "--port", "0"], { env, stdio });
  onSpawned(child);
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill("SIGKILL");
    await ended;
  });
  const file = join(data, "address");
  await expect.poll(() => child.exitCode !== null || existsSync(file)).toBe(true);
  expect(child.exitCode).toBeNull();
  const address = (await readFile(file, "utf8")).trim();
  const ask = async (path: string) => {
    const response = await fetch(address + path, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(response.status).toBe(200);
    return response.text();
  };
  return {
    ask,
    droppedLines: async () =>
      Number(/^pawl_log_lines_dropped_total (\d+)$/m.exec(await ask("/metrics"))?.[1]),
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
