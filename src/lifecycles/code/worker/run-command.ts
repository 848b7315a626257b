import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { finished } from "node:stream/promises";
import { timerDelay } from "../../../std/timer-delay.ts";
import { openAttemptLog } from "./attempt-log.ts";

export type CommandEnd =
  | { how: "exited"; exitCode: number }
  | { how: "killed"; signal: string }
  | { how: "timed out" }
  /** It could not even begin. */
  | { how: "missing"; reason: string };

export type CommandOptions = {
  program: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  input?: string | null;
  timeoutMs: number;
  /** Whoever is asked to end and has not by then is made to; 5 s unless given. */
  killAfterMs?: number | undefined;
  /** Ends it, with all that it has started. */
  signal: AbortSignal;
  /** Where all that it says is written to. */
  logFile: string;
  onOutput?: (text: string) => void;
};

/** Of what an agent says so much is written down: enough for whoever looks for something, too little to fill a disk. */
const MOST_LOGGED = 268_435_456;
const KILL_AFTER_MS = 5_000;
const WINDOWS = process.platform === "win32";

/**
 * Stands in the group of the command and reads from a pipe that nobody writes to. Its end is the end of the worker, however
 * it came: then the whole group goes with it. Nothing else would tell an agent that its worker was killed.
 */
const WATCHED = '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&-; exec "$@"';

/** Runs a command in a process group of its own, to its end or to the end of its time; then nothing of the group is left. */
export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { program, args, cwd, env, input, timeoutMs, signal, logFile, onOutput } = options;
  const { killAfterMs = KILL_AFTER_MS } = options;
  signal.throwIfAborted();
  const log = openAttemptLog(logFile);
  const child: ChildProcess = WINDOWS
    ? spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
    : spawn("/bin/sh", ["-c", WATCHED, "sh", program, ...args], {
        cwd,
        env,
        detached: true,
        stdio: ["pipe", "pipe", "pipe", "pipe"],
      });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input ?? "");
  let written = 0;
  // Who says more than the disk takes waits for it; else it would all lie in memory.
  const goOn = () => {
    child.stdout?.resume();
    child.stderr?.resume();
  };
  log.on("drain", goOn);
  for (const stream of [child.stdout, child.stderr]) {
    // Whole characters only: a piece may end in the midst of one. The database holds no NUL.
    const decoder = new StringDecoder("utf8");
    stream?.on("data", (piece: Buffer) => {
      if (written < MOST_LOGGED && !log.write(piece)) stream.pause();
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
      // What it started and left running keeps its output open: it goes with it.
      killGroup(child, "SIGKILL");
      const end: CommandEnd =
        code === null ? { how: "killed", signal: signal ?? "a signal" } : { how: "exited", exitCode: code };
      child.on("close", () => {
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
    // Nobody is left.
  }
}
