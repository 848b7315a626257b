import { join, resolve } from "node:path";
import type { TaskOf } from "../../../client/index.ts";
import { timerDelay } from "../../../std/timer-delay.ts";
import type { code } from "../lifecycle.ts";
import { agentCommand } from "./agent-command.ts";
import { openAgentDesk } from "./agent-desk.ts";
import { surroundings } from "./git.ts";
import { commitWork, mergeWork, nothingNew } from "./merge-work.ts";
import type { WorkOfTask } from "./merge-work.ts";
import type { OutputTeller } from "./output-teller.ts";
import { promptOf } from "./prompt.ts";
import type { Repository } from "./repository.ts";
import { runCommand } from "./run-command.ts";
import type { CommandEnd } from "./run-command.ts";
import { Setback } from "./setback.ts";
import type { Worktree } from "./worktree.ts";

export type CodeTask = TaskOf<typeof code>;

export type Phase = "preparing" | "working" | "verifying" | "merging";

export type Rules = {
  /** The agent's command, with blanks. */
  agent: string;
  /** Shell command that must succeed on the work as replayed onto the target. */
  verify: string | null;
  timeoutMs: number;
  /** How long an agent that is asked to end may take for it. */
  killAfterMs?: number;
  /** Commits are checked by the repository's own hooks. */
  hooks: boolean;
  /** How the agent reaches the server. */
  url: string;
  /** Where a path in the agent's command starts from. */
  from: string;
};

export type Attempt = {
  repository: Repository;
  rules: Rules;
  task: CodeTask;
  worktree: Worktree;
  /** The version of the task that began it. */
  run: number;
  token: string;
  signal: AbortSignal;
  output: OutputTeller;
  onPhase: (phase: Phase) => void;
  /** The task as it is now: its agent may have said something. */
  look: () => Promise<CodeTask>;
  /** Records on the server the commit that the target is about to move to; throws if the lease is lost. */
  recordMerge: (commit: string) => Promise<void>;
};

export type Obstacle = { blocker_id: string | null; description: string | null };

/** One attempt, from the agent's start to the merged commit; what stands in its way is thrown as a Setback. */
export async function attemptTask(attempt: Attempt): Promise<{ commit: string } | { obstacle: Obstacle }> {
  const { repository, rules, task, worktree, signal, onPhase } = attempt;
  const work: WorkOfTask = { id: task.id, title: task.title, may_be_empty: task.data.may_be_empty };
  onPhase("working");
  const end = await runAgent(attempt);
  const { obstacle } = (await attempt.look()).data;
  if (obstacle) return { obstacle };
  refuseUnlessWell("The agent", end, rules.timeoutMs, attempt.output.lastLines());
  onPhase("merging");
  const changed = await commitInTime(attempt, work);
  if (!changed && !work.may_be_empty) throw nothingNew();
  const recorded = task.data.merge_candidates ?? [];
  const verify = verifyOf(attempt);
  const merging = { recorded, record: attempt.recordMerge, verify, signal };
  return { commit: await mergeWork(repository, worktree, work, merging) };
}

/** A hook that never ends has as long as the agent had. */
async function commitInTime(
  { repository, rules, worktree, signal }: Attempt,
  work: WorkOfTask,
): Promise<boolean> {
  const late = AbortSignal.timeout(timerDelay(rules.timeoutMs));
  try {
    const waiting = AbortSignal.any([signal, late]);
    return await commitWork(repository, worktree, work, { hooks: rules.hooks, signal: waiting });
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    throw new Setback("The work could not be committed: the repository's hooks did not come to an end.");
  }
}

async function runAgent(attempt: Attempt): Promise<CommandEnd> {
  const { repository, rules, task, worktree, run, token, signal, output } = attempt;
  const prompt = promptOf(
    { id: task.id, title: task.title, ...task.data },
    { branch: worktree.branch, target: repository.target, verify: rules.verify, again: task.attempt > 0 },
  );
  const desk = await openAgentDesk(repository.folder);
  try {
    const prompt_file = await desk.put("prompt.md", prompt);
    const mcp_config = await desk.put("mcp.json", mcpConfig(rules.url, token));
    const { id: task_id } = task;
    const { path, branch } = worktree;
    const mcp_url = `${rules.url}/mcp`;
    const blanks = { prompt, prompt_file, mcp_config, mcp_url, task_id, branch, worktree: path };
    const { program, args, input } = agentCommand(rules.agent, blanks);
    return await runCommand({
      ...{ args, input, signal },
      program: program.includes("/") ? resolve(rules.from, program) : program,
      cwd: path,
      env: {
        ...surroundings(),
        PAWL_URL: rules.url,
        PAWL_TOKEN: token,
        PAWL_TASK_ID: task_id,
        PAWL_RUN: String(run),
        PAWL_PROMPT_FILE: prompt_file,
        PAWL_MCP_CONFIG: mcp_config,
      },
      ...{ timeoutMs: rules.timeoutMs, killAfterMs: rules.killAfterMs },
      logFile: logFileOf(repository, task_id, run),
      onOutput: (text) => {
        output.say(text);
      },
    });
  } finally {
    await desk.remove();
  }
}

/** For agents that speak MCP: Pawl's own tools, as seen through this token. */
function mcpConfig(url: string, token: string): string {
  const headers = { Authorization: `Bearer ${token}` };
  return JSON.stringify({ mcpServers: { pawl: { type: "http", url: `${url}/mcp`, headers } } }, null, 2);
}

function verifyOf(attempt: Attempt): (() => Promise<void>) | null {
  const { verify } = attempt.rules;
  if (verify === null) return null;
  return async () => {
    attempt.onPhase("verifying");
    await verifyWork(attempt, verify);
    attempt.onPhase("merging");
  };
}

async function verifyWork(
  { repository, rules, task, worktree, run, signal, output }: Attempt,
  verify: string,
) {
  const said: string[] = [];
  const end = await runCommand({
    program: process.platform === "win32" ? "cmd" : "/bin/sh",
    args: process.platform === "win32" ? ["/d", "/s", "/c", verify] : ["-c", verify],
    cwd: worktree.path,
    env: surroundings(),
    timeoutMs: rules.timeoutMs,
    signal,
    logFile: logFileOf(repository, task.id, run),
    onOutput: (text) => {
      said.push(text);
      output.say(text);
    },
  });
  refuseUnlessWell(`\`${verify}\``, end, rules.timeoutMs, said.join("").slice(-4_000));
}

function logFileOf({ folder }: Repository, task_id: string, run: number): string {
  return join(folder, "logs", `${task_id}.${run}.log`);
}

function refuseUnlessWell(who: string, end: CommandEnd, timeoutMs: number, said = ""): void {
  if (end.how === "exited" && end.exitCode === 0) return;
  const words = said === "" ? "" : `\n${said}`;
  if (end.how === "exited")
    throw new Setback(`${who} ended with exit code ${end.exitCode}.${words}`, { exitCode: end.exitCode });
  if (end.how === "killed") throw new Setback(`${who} was ended by ${end.signal}.${words}`);
  if (end.how === "missing") throw new Setback(`${who} could not be started: ${end.reason}`);
  throw new Setback(
    `${who} did not end within ${Math.round(timeoutMs / 6_000) / 10} min, and was ended.${words}`,
  );
}
