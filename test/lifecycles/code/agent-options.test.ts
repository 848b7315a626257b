import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { commandOf, PRESETS } from "../../../src/lifecycles/code/agents/index.ts";
import { pawl } from "../../cli/pawl-process.ts";
import { AGENTS_BIN, installOtherAgents, whyNoCodingAgents } from "../../support/coding-agents.ts";
import { startCodeServer } from "./code-server.ts";
import { createTestRepository, gitEnvironment } from "./test-repository.ts";

const run = promisify(execFile);
const othersBin = await installOtherAgents();
const agentsBin = (await whyNoCodingAgents()) === null ? AGENTS_BIN : null;

const HELP = [
  { agent: "claude", bin: agentsBin, help: ["--help"] },
  { agent: "codex", bin: agentsBin, help: ["exec", "--help"] },
  { agent: "gemini", bin: othersBin, help: ["--help"] },
  { agent: "opencode", bin: othersBin, help: ["run", "--help"] },
];

describe.each(HELP)("$agent", ({ agent, bin, help }) => {
  test.skipIf(bin === null)("has all options of its command", async () => {
    const home = await mkdtemp(join(tmpdir(), "pawl-home-"));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const env = { ...process.env, HOME: home, DISABLE_AUTOUPDATER: "1" };
    const { stdout, stderr } = await run(join(bin ?? "", agent), help, { env });
    const options = [false, true].flatMap((allowEverything) =>
      commandOf(agent, { allowEverything, session: "s-1" }).match(/(?<= )--?[a-z][\w-]*/g),
    );
    expect(options.length).toBeGreaterThan(1);
    for (const option of options) expect(stdout + stderr).toContain(option);
  });
});

const server = await startCodeServer();

/** Runs `pawl code run` with only these programs on the PATH. */
async function runWith(programs: readonly string[], ...args: string[]) {
  const bench = await createTestRepository(server);
  const task = await bench.add("Write two");
  const bin = join(bench.folder, "bin");
  await mkdir(bin);
  for (const program of programs) await symlink("/bin/true", join(bin, program));
  const ran = await pawl(["code", "run", "--repo", bench.repo, "--project", bench.project_id, ...args], {
    env: { ...gitEnvironment(), PATH: bin, PAWL_URL: server.url, PAWL_TOKEN: server.wim },
  });
  return { ...ran, status: (await server.getTask(task.id)).status };
}

test.each(PRESETS)(
  "without $program, no task is taken, and the report has the command that installs it",
  async (preset) => {
    const ran = await runWith([], "--agent", preset.name);
    expect(ran.stderr).toContain(`"${preset.program}" is not installed.`);
    expect(ran.stderr).toContain(`Install it: ${preset.install}`);
    expect([ran.code, ran.status]).toEqual([2, "ready"]);
  },
);

test("an agent that is installed is suggested instead of a missing one", async () => {
  const { stderr } = await runWith(["codex"], "--agent", "gemini");
  expect(stderr).toContain("Or use one that is installed: --agent codex.");
});

test("--allow-everything is refused for a command of the user", async () => {
  const ran = await runWith(["true"], "--agent", "true {prompt}", "--allow-everything");
  expect(ran.stderr).toContain("--allow-everything applies to agents by name.");
  expect([ran.code, ran.status]).toEqual([2, "ready"]);
});
