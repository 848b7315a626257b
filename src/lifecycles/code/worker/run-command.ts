import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { finished } from "node:stream/promises";
import { timerDelay } from "../../../std/timer-delay.ts";
import { openAttemptLog } from "./attempt-log.ts";
import { killByVariable } from "./kill-by-variable.ts";

export type CommandEnd =
  | { how: "exited"; exitCode: number }
  | { how: "killed"; signal: string }
  | { how: "timed out" }
  /** The program could not be started. */
  | { how: "missing"; reason: string };

export type CommandOptions = {
  program: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  input?: string | null;
  timeoutMs: number;
  /** Time between SIGTERM and SIGKILL; default 5 s. */
  killAfterMs?: number | undefined;
  /** Ends the command and all its child processes. */
  signal: AbortSignal;
  /** The file that receives the output. */
  logFile: string;
  onOutput?: (text: string) => void;
  /** A variable of `env` whose value only this command has: processes that left its group are killed by it, on Linux. */
  killByVariable?: string;
};

/** Maximum size of a log file. */
const MAX_LOGGED_BYTES = 268_435_456;
const KILL_AFTER_MS = 5_000;
/** Time for the rest of the output after the command has exited. A process that left its group may keep the pipe open. */
const OUTPUT_TIMEOUT_MS = 2_000;
const WINDOWS = process.platform === "win32";

/**
 * Starts a watchdog in the command's process group. It reads from a pipe that closes when the worker ends for any reason, and
 * then kills the whole group. Without it, an agent would outlive a killed worker.
 */
const WITH_WATCHDOG = '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&-; exec "$@"';

/** Runs a command in its own process group until it ends or times out, and then kills what is left of the group. */
export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { program, args, cwd, env, input, timeoutMs, signal, logFile, onOutput } = options;
  const { killAfterMs = KILL_AFTER_MS } = options;
  const marker = options.killByVariable;
  signal.throwIfAborted();
  const log = openAttemptLog(logFile);
  const child: ChildProcess = WINDOWS
    ? spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
    : spawn("/bin/sh", ["-c", WITH_WATCHDOG, "sh", program, ...args], {
        cwd,
        env,
        detached: true,
        stdio: ["pipe", "pipe", "pipe", "pipe"],
      });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input ?? "");
  let written = 0;
  // Backpressure: output waits for the disk instead of filling the memory.
  const resume = () => {
    child.stdout?.resume();
    child.stderr?.resume();
  };
  log.on("drain", resume);
  for (const stream of [child.stdout, child.stderr]) {
    // A chunk may end within a character. The database cannot store NUL.
    const decoder = new StringDecoder("utf8");
    stream?.on("data", (piece: Buffer) => {
      if (written < MAX_LOGGED_BYTES && !log.write(piece)) stream.pause();
      written += piece.length;
      const text = decoder.write(piece).replaceAll("\u0000", "\ufffd");
      if (text !== "") onOutput?.(text);
    });
  }
  const state = { timedOut: false };
  const timer = setTimeout(() => {
    state.timedOut = true;
    endGroup(child, killAfterMs);
  }, timerDelay(timeoutMs));
  const abort = () => {
    endGroup(child, killAfterMs);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    const end = await endOf(child);
    signal.throwIfAborted();
    return state.timedOut ? { how: "timed out" } : end;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    killGroup(child, "SIGKILL");
    if (marker !== undefined) await killByVariable(marker, env[marker] ?? "");
    log.end();
    await finished(log);
  }
}

function endOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.on("error", (error) => {
      resolve({ how: "missing", reason: error.message });
    });
    child.on("exit", (code, signal) => {
      // Child processes that are still running would keep the output open.
      killGroup(child, "SIGKILL");
      const end: CommandEnd =
        code === null ? { how: "killed", signal: signal ?? "a signal" } : { how: "exited", exitCode: code };
      const timer = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, OUTPUT_TIMEOUT_MS);
      child.on("close", () => {
        clearTimeout(timer);
        resolve(end);
      });
    });
  });
}

function endGroup(child: ChildProcess, killAfterMs: number): void {
  killGroup(child, "SIGTERM");
  setTimeout(() => {
    if (child.exitCode === null && child.signalCode === null) killGroup(child, "SIGKILL");
  }, timerDelay(killAfterMs)).unref();
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(WINDOWS ? pid : -pid, signal);
  } catch {
    // The group has ended already.
  }
}
