import { spawn } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { BUILT_PAWL, ROOT } from "../support/built-pawl.ts";

export const EXAMPLE = join(ROOT, "examples/support-ticket");

export type RunResult = { code: number | null; stdout: string; stderr: string };

type RunOptions = {
  cwd?: string;
  env?: Record<string, string>;
  closeStdout?: boolean;
  /** File descriptor to write the output to. */
  stdout?: number;
};

/** Runs the real command line in its own process, with an empty environment. */
export async function pawl(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { cwd = tmpdir(), env = {}, closeStdout = false, stdout = "pipe" } = options;
  const child = spawn(process.execPath, [...BUILT_PAWL, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["pipe", stdout, "pipe"],
  });
  const ran: RunResult = { code: null, stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (ran.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (ran.stderr += text));
  if (closeStdout) child.stdout?.destroy();
  ran.code = await new Promise((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return ran;
}

/**
 * Runs a Node program in a shell pipe to `head -1`; the exit code is the program's. The pipe stays open until the
 * file `openUntil` exists; by default it is closed after the first line.
 */
export async function firstLineOf(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { openUntil = "/" }: { openUntil?: string } = {},
): Promise<RunResult> {
  const wait = `until [ -e '${openUntil}' ]; do sleep 0.1; done`;
  const pipe = `"$@" | { head -1; ${wait}; }; exit "\${PIPESTATUS[0]}"`;
  const child = spawn("bash", ["-c", pipe, "bash", process.execPath, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ran: RunResult = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (ran.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (ran.stderr += text));
  onTestFinished(() => void child.kill("SIGKILL"));
  ran.code = await new Promise((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return ran;
}

/** Creates a folder with these files outside the repository, without node_modules. */
export async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "pawl-user-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return folder;
}

/** A configuration with one small lifecycle; `changes` replaces parts of it, for example to break it. */
export function configWith(changes: Partial<typeof PARTS> = {}): string {
  const { head, name, statuses, actions, creation, rules, more } = { ...PARTS, ...changes };
  return `${head}
export default defineConfig({
  lifecycles: [
    defineLifecycle({
      ${name}
      version: 1,
      summary: "Letters",
      ${statuses}
      ${actions}
      ${creation}
      ${rules}
      ${more}
    }),
  ],
});
`;
}

const PARTS = {
  head: 'import { defineConfig, defineLifecycle, refuse } from "pawl";\nimport { z } from "zod";',
  name: 'name: "letters",',
  statuses: "statuses: { waiting: {}, read: {}, answered: { final: true, success: true } },",
  actions: "actions: { read: {}, answer: {}, lay_aside: {} },",
  creation:
    'creation: { input: z.object({ title: z.string() }), to: [{ status: "waiting" }], draft: ({ input }) => ({ title: input.title, data: {} }) },',
  rules: `rules: [
        { action: "read", from: "waiting", to: "read", who: "anyone", effects: ["assign_actor"] },
        { action: "lay_aside", from: "read", to: "waiting", who: "assignee", effects: ["clear_assignee"] },
        { action: "answer", from: "read", to: "answered", who: "assignee" },
      ],`,
  more: 'invariants: { "a waiting letter has no assignee": (task) => task.status !== "waiting" || task.assigned_to === null },',
};
