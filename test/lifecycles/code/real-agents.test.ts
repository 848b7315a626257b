import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandOf } from "../../../src/lifecycles/code/agents/index.ts";
import { pawl } from "../../cli/pawl-process.ts";
import { ROOT } from "../../support/built-pawl.ts";
import {
  AGENTS_FOLDER,
  whyNoClaudeSandbox,
  whyNoCodexSandbox,
  whyNoCodingAgents,
} from "../../support/coding-agents.ts";
import { openModelApi } from "../../support/model-api.ts";
import type { ModelOptions } from "../../support/model-api.ts";
import { commentsOn, killAgentOf, runAgent, runsOf, startAgentServer } from "./real-agents-bench.ts";
import type { AgentBench, RunOfTask } from "./real-agents-bench.ts";
import { gitEnvironment, createTestRepository } from "./test-repository.ts";

const whyNoAgents = await whyNoCodingAgents();
if (whyNoAgents !== null) console.warn(`skipped: ${whyNoAgents}`);
const whyNoSandbox = {
  claude: whyNoAgents === null ? await whyNoClaudeSandbox() : null,
  codex: whyNoAgents === null ? await whyNoCodexSandbox() : null,
};
for (const [agent, why] of Object.entries(whyNoSandbox))
  if (why !== null) console.warn(`skipped: edits and shell commands of ${agent}: ${why}`);

const server = await startAgentServer();

/** The program that the task asks to run: it fails without the file that the agent has to write first. */
const CHECK = `import { readFileSync, writeFileSync } from "node:fs";
writeFileSync("checked", "checked " + readFileSync("greeting", "utf8"));
console.log("the check passed");
`;

const SAFE = { allowEverything: false, session: null };

const FINAL_MESSAGE = "The greeting is there, and the check passed.";

type Bench = AgentBench & { outside: string };

/** A repository with one task, and a model that writes, runs the check, comments, and tries to write elsewhere. */
async function openBench(): Promise<Bench> {
  const bench = await createTestRepository(server, { within: AGENTS_FOLDER, lease_seconds: 60 });
  const { repo, git, add, folder } = bench;
  await writeFile(join(repo, "check.mjs"), CHECK);
  await git("add", ".");
  await git("commit", "--quiet", "-m", "A check");
  const task = await add("Greet", { max_attempts: 1 });
  const outside = join(folder, "outside");
  await mkdir(outside);
  const api = await openModelApi(async () => {
    const { worktree } = await server.getTask(task.id);
    return [
      { write: join(String(worktree), "greeting"), content: "hello\n" },
      { shell: "node check.mjs" },
      { pawl: "comment", input: { task_id: task.id, comment: "The greeting is written." } },
      { write: join(outside, "by-edit"), content: "no\n" },
      { shell: `echo no > ${join(outside, "by-shell")}` },
    ];
  }, FINAL_MESSAGE);
  return { ...bench, api, task, outside };
}

const COMMENT = { actor_id: "wim", comment: "The greeting is written." };

const AGENTS = [
  {
    agent: "Claude Code",
    args: [],
    noSandbox: whyNoSandbox.claude,
    // It refuses to start without its sandbox.
    noTools: whyNoSandbox.claude,
    lines: ["Bash node check.mjs", "mcp__pawl__comment The greeting is written.", FINAL_MESSAGE],
  },
  {
    agent: "Codex",
    args: ["--agent", "codex"],
    noSandbox: whyNoSandbox.codex,
    noTools: null,
    lines: ["exec node check.mjs", "pawl_task comment", FINAL_MESSAGE],
  },
];

describe.skipIf(whyNoAgents !== null).each(AGENTS)(
  "$agent, as documented,",
  ({ args, noSandbox, noTools, lines }) => {
    test.skipIf(noSandbox !== null)("completes the task, and writes only in its worktree", async () => {
      const bench = await openBench();
      const { api, task, outside, read, history } = bench;
      const ran = await runAgent(server, bench, ...args);
      expect(await server.getTask(task.id)).toMatchObject({ status: "completed", last_error: null });
      expect(ran.code).toBe(0);
      expect(await history()).toEqual(["A check", "Greet"]);
      expect([await read("greeting"), await read("checked")]).toEqual(["hello", "checked hello"]);
      expect(api.results).toHaveLength(5);
      expect(api.results[1]).toContain("the check passed");
      expect(await commentsOn(server, task)).toEqual([COMMENT]);
      expect(await readdir(outside)).toEqual([]);
      expect(ran.output.filter((line) => lines.includes(line))).toEqual(expect.arrayContaining(lines));
      // Raw JSON of the agents is not shown.
      expect(ran.output.filter((line) => line.includes('{"type"'))).toEqual([]);
      const shown = await pawl(["code", "show", task.id], {
        env: { PAWL_URL: server.url, PAWL_TOKEN: server.lea },
      });
      expect(shown.stdout.trimEnd().split("\n").at(-1)).toBe(FINAL_MESSAGE);
      expect(api.unexpected).toEqual([]);
    });

    test.skipIf(noTools !== null)(
      "reaches Pawl's tools even if the repository configures Pawl for another member",
      async () => {
        const bench = await openBench();
        const { repo, git, task } = bench;
        const stdio = { command: "false", args: [] };
        await writeFile(join(repo, ".mcp.json"), JSON.stringify({ mcpServers: { pawl: stdio } }));
        await mkdir(join(repo, ".codex"));
        await writeFile(join(repo, ".codex/config.toml"), '[mcp_servers.pawl]\ncommand = "false"\n');
        await git("add", ".");
        await git("commit", "--quiet", "-m", "As `pawl setup --write` configures agents");
        await runAgent(server, bench, ...args);
        expect(await commentsOn(server, task)).toEqual([COMMENT]);
      },
    );
  },
);

/** A repository with one task, whose check needs two files; failed attempts are continued. */
async function openContinuedBench(options: ModelOptions = {}): Promise<AgentBench> {
  const settings = { continue: true };
  const bench = await createTestRepository(server, { within: AGENTS_FOLDER, lease_seconds: 60, settings });
  const task = await bench.add("Greet", { max_attempts: 3 });
  const api = await openModelApi(
    async () => {
      const { worktree } = await server.getTask(task.id);
      return [{ write: join(String(worktree), "greeting"), content: "hello\n" }];
    },
    FINAL_MESSAGE,
    { later: [{ shell: "echo again > second" }], ...options },
  );
  return { ...bench, api, task };
}

describe.skipIf(whyNoAgents !== null).each(AGENTS)("$agent", ({ agent, args, noSandbox }) => {
  const preset = agent === "Codex" ? "codex" : "claude";

  test.skipIf(noSandbox !== null)(
    "continues its session after a failed check, and the usage of each run is recorded once",
    async () => {
      const bench = await openContinuedBench();
      const { api, task, read } = bench;
      await runAgent(server, bench, ...args, "--verify", "cat second");
      expect(await server.getTask(task.id)).toMatchObject({ status: "completed", attempts: 1 });
      expect(api.prompts).toBe(2);
      expect([await read("greeting"), await read("second")]).toEqual(["hello", "again"]);
      const [first, second] = (await runsOf(server, task)) as [RunOfTask, RunOfTask];
      // Two requests each; both agents report sums over the whole session.
      expect(first).toMatchObject({ agent: preset, usage: { input_tokens: 20, output_tokens: 10 } });
      expect(second.usage).toEqual(first.usage);
      expect(first.usage.cost_usd === null).toBe(preset === "codex");
    },
  );

  test.skipIf(noSandbox !== null)(
    "completes the task although the model is rate limited at first",
    async () => {
      const bench = await openContinuedBench({ rateLimited: 1 });
      const { api, task } = bench;
      await runAgent(server, bench, ...args, "--verify", "cat greeting");
      expect(await server.getTask(task.id)).toMatchObject({ status: "completed" });
      expect(api.requests).toBeGreaterThan(2);
    },
  );

  test.runIf(noSandbox === null && process.platform === "linux")(
    "is run again after it was killed, and the work is merged once",
    async () => {
      const bench: AgentBench = await openContinuedBench({
        later: [],
        onRequest: (request) => (request === 2 ? killAgentOf(bench.task) : Promise.resolve()),
      });
      const { task, read, history } = bench;
      await runAgent(server, bench, ...args);
      expect(await server.getTask(task.id)).toMatchObject({
        status: "completed",
        runs: [{ outcome: "retried", error: expect.stringContaining("killed by SIGKILL") as string }, {}],
      });
      expect([await history(), await read("greeting")]).toEqual([["Greet"], "hello"]);
    },
  );
});

test.runIf(process.platform === "linux")("without Claude Code's sandbox, no task is started", async () => {
  const { repo, folder, task } = await openBench();
  const bin = join(folder, "bin");
  await mkdir(bin);
  await symlink("/bin/true", join(bin, "claude"));
  const ran = await pawl(["code", "run", "--repo", repo], {
    env: { ...gitEnvironment(), PATH: bin, PAWL_URL: server.url, PAWL_TOKEN: server.wim },
  });
  expect(ran.stderr).toMatch(/"bwrap" is not installed\.\n.*apt install bubblewrap socat/);
  expect([ran.code, (await server.getTask(task.id)).status]).toEqual([2, "ready"]);
});

test("the README and the help contain the tested commands", async () => {
  const readme = await readFile(join(ROOT, "src/lifecycles/code/README.md"), "utf8");
  const help = (await pawl(["code", "run", "--help"])).stdout;
  for (const text of [readme, help])
    for (const agent of ["claude", "codex"])
      expect(text.replaceAll(/\s+/g, " ")).toContain(commandOf(agent, SAFE));
});
