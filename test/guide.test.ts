import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ROOT } from "./support/built-pawl.ts";
import { stopAbandonedServer } from "./support/abandoned-server.ts";
import { installPawl, packPawl } from "./support/installed-pawl.ts";
import { WAIT_LIMIT_MS } from "./support/wait-limit.ts";

type Block = { language: string; text: string };

/** Commands that run until they are stopped, and what they print when they are ready. */
const LONG_RUNNING: Readonly<Record<string, string>> = {
  "npx pawl start": "Pawl listens on ",
  "npx tsx --env-file=worker.env worker.ts": "done: Buy milk",
};

test.skipIf(process.platform === "win32")(
  "every block of the guide works as described",
  async () => {
    const blocks = blocksOf(await readFile(join(ROOT, "docs/guide.md"), "utf8"));
    const scratch = await realpath(await mkdtemp(join(tmpdir(), "pawl-guide-")));
    const folder = join(scratch, "errands");
    const lasting: ChildProcess[] = [];
    onTestFinished(async () => {
      for (const child of lasting.reverse()) await end(child);
      await stopAbandonedServer(join(folder, ".pawl")).catch(() => undefined);
      await rm(scratch, { recursive: true, force: true });
    });
    const { tarball } = await packPawl(scratch);
    const env: NodeJS.ProcessEnv = {
      PATH: process.env.PATH,
      HOME: scratch,
      PAWL_PORT: "0",
      PAWL_LOG_LEVEL: "warn",
    };

    const files = blocks.flatMap(({ text }) => {
      const [, name, body] = /^\/\/ (\S+\.\w+)\n([\s\S]*)$/.exec(text) ?? [];
      return name === undefined || body === undefined ? [] : [{ name, body }];
    });
    expect(files.map(({ name }) => name)).toEqual(["worker.ts", "errand-list.tsx", "tsconfig.json"]);

    let output = "";
    for (const { language, text } of blocks) {
      if (language === "text") expectOutput(output, text);
      if (language !== "sh") continue;
      const installs = /^npm install .*$/gm;
      const cwd = text.startsWith("mkdir ") ? scratch : folder;
      const under = LONG_RUNNING[text.trim()];
      if (under === undefined) output = await shell(text.replaceAll(installs, ""), cwd, env);
      else {
        const { child, line } = await keepRunning(text, cwd, env, under);
        lasting.push(child);
        env.PAWL_URL ??= /http:\S+?(?=;)/.exec(line)?.[0];
      }
      if (!installs.test(text)) continue;
      await installPawl(tarball, folder, ["typescript", "tsx", "@types/node", "@types/react", "csstype"]);
      for (const { name, body } of files) await writeFile(join(folder, name), body);
    }
    expect(output).toBe("");
  },
  5 * WAIT_LIMIT_MS,
);

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** Expects every line shown on the page in the output; … is any text. */
function expectOutput(output: string, shown: string): void {
  for (const line of shown.trimEnd().split("\n")) {
    const parts = line.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    expect(output).toMatch(new RegExp(`^${parts.join(".*")}$`, "m"));
  }
}

async function shell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, complained] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complained += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`ended with ${String(code)}:\n${script}\n${output}\n${complained}`);
  return output;
}

async function keepRunning(script: string, cwd: string, env: NodeJS.ProcessEnv, sign: string) {
  // In its own process group, because npx starts the command in a child process.
  const child = spawn("bash", ["-c", script], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  await vi.waitFor(
    () => {
      expect(output).toContain(sign);
    },
    { timeout: WAIT_LIMIT_MS, interval: 100 },
  );
  return { child, line: output.slice(output.indexOf(sign)) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, "close");
  process.kill(-child.pid, "SIGTERM");
  await ended;
}
