import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAttemptLog } from "../../../src/lifecycles/code/worker/attempt-log.ts";
import { runCommand } from "../../../src/lifecycles/code/worker/run-command.ts";
import { CAN_MOUNT, fillDisk, smallDisk } from "../../support/small-disk.ts";

test.runIf(existsSync("/dev/full"))("a log that cannot be written does not stop the agent", async () => {
  let output = "";
  const end = await runCommand({
    program: "/bin/sh",
    args: ["-c", "yes hello | head -c 1000000"],
    cwd: tmpdir(),
    env: process.env,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    logFile: "/dev/full",
    onOutput: (text) => (output += text),
  });
  expect(end).toEqual({ how: "exited", exitCode: 0 });
  expect(output).toHaveLength(1_000_000);
});

test.runIf(CAN_MOUNT)(
  "a log continues when the full disk has space again, and reports how much is missing",
  async () => {
    const disk = smallDisk();
    const path = join(disk, "logs/task.1.log");
    const log = openAttemptLog(path);
    const write = (text: string) => new Promise((resolve) => log.write(text, resolve));
    await write("before\n");
    const free = fillDisk(disk);
    // A part of it still fits into the last block of the file.
    const lost = "x".repeat(10_000);
    await write(lost);
    const kept = (await readFile(path, "utf8")).length - "before\n".length;
    free();
    await write("after\n");
    await new Promise((resolve) => log.end(resolve));
    const missing = lost.length - kept;
    expect(missing).toBeGreaterThan(0);
    expect((await readFile(path, "utf8")).slice("before\n".length + kept)).toBe(
      `\n[pawl: ${missing} bytes of output were dropped: ENOSPC: no space left on device, write]\nafter\n`,
    );
  },
);
