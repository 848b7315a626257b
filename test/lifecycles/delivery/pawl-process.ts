import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { BUILT_PAWL } from "../../support/built-pawl.ts";

export type PawlProcess = {
  /** Its output and log so far. */
  output: () => string;
  /** Ends it and returns its exit code; null if it was killed. */
  end: (signal: NodeJS.Signals) => Promise<number | null>;
  ended: Promise<number | null>;
};

/** Starts `pawl delivery …` in its own process; resolves with the first line of output. */
export async function startPawlDelivery(
  args: readonly string[],
  env: Record<string, string>,
): Promise<PawlProcess> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-delivery-"));
  const child = spawn(process.execPath, [...BUILT_PAWL, "delivery", ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, PAWL_LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      resolve();
    });
    void ended.then(() => {
      resolve();
    });
  });
  return {
    output: () => output,
    ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}
