import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { BUILT_PAWL } from "../../support/built-pawl.ts";

export type PawlProcess = {
  /** What it has said and logged so far. */
  said: () => string;
  /** Ends it and gives its exit code; null: killed. */
  end: (signal: NodeJS.Signals) => Promise<number | null>;
  ended: Promise<number | null>;
};

/** `pawl delivery …` in a process of its own, ready when it has said its first line. */
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
  let said = "";
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      resolve();
    });
    void ended.then(() => {
      resolve();
    });
  });
  return {
    said: () => said,
    ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}
