import { join } from "node:path";
import { openAttemptLog } from "./attempt-log.ts";
import { childEnvironment } from "./git.ts";
import type { OutputUploader } from "./output-uploader.ts";
import type { Repository } from "./repository.ts";
import { runCommand } from "./run-command.ts";
import type { CommandEnd } from "./run-command.ts";
import { AttemptFailed } from "./worker-errors.ts";

const MAX_OUTPUT_IN_ERROR = 4_000;
const WINDOWS = process.platform === "win32";

/** The place of an attempt's output: its log file, and the uploader to the server. */
export type AttemptOutput = { logFile: string; output: Pick<OutputUploader, "append"> };

export type ShellCommand = AttemptOutput & {
  command: string;
  cwd: string;
  env?: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
};

/** Runs a shell command in a worktree, with its output in the attempt's log. Throws AttemptFailed unless it exits with 0. */
export async function runShell(options: ShellCommand): Promise<void> {
  const { command, cwd, env = {}, timeoutMs, signal, logFile, output } = options;
  let last = "";
  const end = await runCommand({
    program: WINDOWS ? "cmd" : "/bin/sh",
    args: WINDOWS ? ["/d", "/s", "/c", command] : ["-c", command],
    ...{ cwd, timeoutMs, signal, logFile },
    env: { ...childEnvironment(), ...env },
    onOutput: (text) => {
      last = (last + text).slice(-MAX_OUTPUT_IN_ERROR);
      output.append(text);
    },
  });
  throwUnlessSucceeded(`\`${command}\``, end, timeoutMs, last);
}

/** Adds a line of Pawl itself to the attempt's output. */
export async function noteInLog({ logFile, output }: AttemptOutput, text: string): Promise<void> {
  const line = `[pawl: ${text}]\n`;
  output.append(line);
  const log = openAttemptLog(logFile);
  await new Promise<void>((resolve) => {
    log.end(line, () => {
      resolve();
    });
  });
}

export function logFileOf({ folder }: Repository, task_id: string, run: number): string {
  return join(folder, "logs", `${task_id}.${run}.log`);
}

export function throwUnlessSucceeded(who: string, end: CommandEnd, timeoutMs: number, output = ""): void {
  if (end.how === "exited" && end.exitCode === 0) return;
  const details = output === "" ? "" : `\n${output}`;
  if (end.how === "exited")
    throw new AttemptFailed(`${who} ended with exit code ${end.exitCode}.${details}`, {
      exitCode: end.exitCode,
    });
  if (end.how === "killed") throw new AttemptFailed(`${who} was killed by ${end.signal}.${details}`);
  if (end.how === "missing") throw new AttemptFailed(`${who} could not be started: ${end.reason}`);
  throw new AttemptFailed(
    `${who} did not finish within ${Math.round(timeoutMs / 6_000) / 10} min and was stopped.${details}`,
  );
}
