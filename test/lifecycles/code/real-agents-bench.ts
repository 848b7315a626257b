import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { answerMcp } from "../../../src/mcp/index.ts";
import { pawl } from "../../cli/pawl-process.ts";
import { ROOT } from "../../support/built-pawl.ts";
import { AGENTS_BIN, OTHERS_BIN } from "../../support/coding-agents.ts";
import type { ModelApi } from "../../support/model-api.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeServer, CodeTask } from "./code-server.ts";
import { gitEnvironment } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";

/** A repository with a task, and the simulated API of a model. */
export type AgentBench = TestRepository & { api: ModelApi; task: CodeTask };

/** Starts a server that also has Pawl's tools for agents. */
export async function startAgentServer(): Promise<CodeServer> {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
  const mounts = [{ path: "/mcp", confined: ["task"], answer: answerMcp({ version }) } as const];
  return startCodeServer({ server: { version, mounts } });
}

/** Runs `pawl code run` with the real agents; only the model's address and key differ from a user's machine. */
export async function runAgent(
  server: CodeServer,
  { repo, folder, project_id, api }: Omit<AgentBench, "task">,
  ...more: string[]
) {
  const home = join(folder, "home");
  await writeSettings(home, {
    ".codex/config.toml": codexConfig(api.url, repo),
    ".gemini/settings.json": JSON.stringify(GEMINI_SETTINGS),
    ".opencode.json": JSON.stringify(opencodeConfig(api.url)),
  });
  const args = ["code", "run", "--repo", repo, "--project", project_id, "--until-done", "--json", ...more];
  const ran = await pawl(args, {
    env: {
      ...gitEnvironment(),
      HOME: home,
      PATH: [AGENTS_BIN, OTHERS_BIN, process.env.PATH].join(":"),
      PAWL_URL: server.url,
      PAWL_TOKEN: server.wim,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: "a-key",
      OPENAI_API_KEY: "a-key",
      GEMINI_API_KEY: "a-key",
      GOOGLE_GEMINI_BASE_URL: api.url,
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_CONFIG: join(home, ".opencode.json"),
      HTTP_PROXY: api.url,
      HTTPS_PROXY: api.url,
      NO_PROXY: "127.0.0.1",
    },
  });
  const events = ran.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string; line?: string });
  return { ...ran, output: events.flatMap(({ event, line }) => (event === "output" ? [line ?? ""] : [])) };
}

async function writeSettings(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
}

/** Without a model of its own, Gemini CLI first asks another one, which the simulated API lacks. */
const GEMINI_SETTINGS = {
  model: { name: "gemini-stand-in" },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: "gemini-api-key" } },
};

function opencodeConfig(url: string): object {
  const limit = { context: 100_000, output: 4_000 };
  const models = { "stand-in": { name: "Stand-in", cost: { input: 1, output: 2 }, limit } };
  const anthropic = { options: { baseURL: `${url}/v1`, apiKey: "a-key" }, models };
  return { model: "anthropic/stand-in", provider: { anthropic } };
}

/** Codex has no environment variable for the address of the API. */
function codexConfig(url: string, repo: string): string {
  return `model = "gpt-5.5"
model_provider = "stand-in"
check_for_update_on_startup = false
analytics.enabled = false
features = { apps = false, plugins = false }

[model_providers.stand-in]
name = "stand-in"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"

[projects."${repo}"]
trust_level = "trusted"
`;
}

export async function commentsOn(server: CodeServer, { id }: CodeTask) {
  const { body } = await server.ask(`GET /api/tasks/${id}/events`);
  const events = body.events as { type: string; actor_id: string; comment: string }[];
  return events
    .filter(({ type }) => type === "commented")
    .map(({ actor_id, comment }) => ({ actor_id, comment }));
}

export type RunOfTask = {
  usage: { input_tokens: number; output_tokens: number; cost_usd: number | null };
};
export const runsOf = async (server: CodeServer, { id }: CodeTask) =>
  (await server.getTask(id)).runs as unknown as RunOfTask[];

/** Kills the agent of a task, and everything that it started, with SIGKILL. */
export async function killAgentOf({ id }: CodeTask): Promise<void> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (environment.split("\0").includes(`PAWL_TASK_ID=${id}`))
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
  }
}
