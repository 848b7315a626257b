import { resolve } from "node:path";
import { commandOf, findPreset } from "../agents/index.ts";
import { agentCommand } from "./agent-command.ts";
import { createAgentFolder } from "./agent-folder.ts";
import type { AgentFolder } from "./agent-folder.ts";
import { logFileOf } from "./attempt-command.ts";
import type { Attempt } from "./attempt-context.ts";
import { continuedSession } from "./continue-work.ts";
import { childEnvironment } from "./git.ts";
import { promptOf } from "./prompt.ts";
import { runCommand } from "./run-command.ts";
import type { CommandEnd } from "./run-command.ts";

/** Runs the agent of an attempt until it ends. */
export async function runAgent(attempt: Attempt): Promise<CommandEnd> {
  const { repository, rules, task, worktree } = attempt;
  const prompt = promptOf(
    { id: task.id, title: task.title, ...task.data },
    {
      branch: worktree.branch,
      target: repository.target,
      verify: rules.verify,
      again: task.attempt > 0,
      continued: worktree.continued === true,
      notes: await attempt.readNotes(),
    },
  );
  const files = await createAgentFolder(repository.folder);
  try {
    const session = continuedSession(task, worktree, rules.agent);
    const end = await startAgent(attempt, files, prompt, session);
    const isGone = session !== null && !attempt.usage.began && end.how === "exited" && end.exitCode !== 0;
    // Another machine has the session, or it was deleted: the prompt has everything that a new one needs.
    return isGone ? await startAgent(attempt, files, prompt, null) : end;
  } finally {
    await attempt.usage.end();
    await files.remove();
  }
}

async function startAgent(
  attempt: Attempt,
  files: AgentFolder,
  prompt: string,
  session: ReturnType<typeof continuedSession>,
): Promise<CommandEnd> {
  const { repository, rules, task, worktree, run, token, signal, output, usage } = attempt;
  const { allowEverything = false } = rules;
  const prompt_file = await files.write("prompt.md", prompt);
  const mcp_config = await files.write("mcp.json", mcpConfig(rules.url, token));
  const mcp_url = `${rules.url}/mcp`;
  const values = {
    ...{ prompt, prompt_file, mcp_config, mcp_url, task_id: task.id },
    ...{ branch: worktree.branch, worktree: worktree.path },
  };
  const { program, args, input } = agentCommand(
    commandOf(rules.agent, { allowEverything, session: session?.id ?? null }),
    values,
  );
  usage.begin(rules.agent, session?.reported ?? null);
  return runCommand({
    ...{ args, input, signal },
    program: program.includes("/") ? resolve(rules.from, program) : program,
    cwd: worktree.path,
    env: {
      ...childEnvironment(),
      PAWL_URL: rules.url,
      PAWL_TOKEN: token,
      PAWL_TASK_ID: task.id,
      PAWL_RUN: String(run),
      PAWL_PROMPT_FILE: prompt_file,
      PAWL_MCP_CONFIG: mcp_config,
      ...(session === null ? {} : { PAWL_SESSION: session.id }),
      ...(await presetEnvironment(attempt, files, mcp_url)),
    },
    ...{ timeoutMs: rules.timeoutMs, killAfterMs: rules.killAfterMs, killByVariable: "PAWL_TOKEN" },
    logFile: logFileOf(repository, task.id, run),
    onOutput: (text) => {
      usage.append(text);
      output.append(text);
    },
  });
}

/** Returns the variables that the preset needs; some are paths of files, which are private and removed with the agent. */
async function presetEnvironment(
  { rules: { agent, allowEverything = false }, token }: Attempt,
  files: AgentFolder,
  mcp_url: string,
): Promise<Record<string, string>> {
  const needed = findPreset(agent)?.environment?.({ mcp_url, token, allowEverything });
  const environment = { ...needed?.variables };
  for (const [name, text] of Object.entries(needed?.files ?? {}))
    environment[name] = await files.write(`${name.toLowerCase()}.json`, text);
  return environment;
}

/** The configuration of an MCP client, with this token. */
function mcpConfig(url: string, token: string): string {
  const headers = { Authorization: `Bearer ${token}` };
  return JSON.stringify({ mcpServers: { pawl: { type: "http", url: `${url}/mcp`, headers } } }, null, 2);
}
