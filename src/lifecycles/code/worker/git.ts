import { execFile } from "node:child_process";
import type { ExecFileException } from "node:child_process";

/** A git command that failed, with what it said. */
export class GitFailure extends Error {
  override readonly name = "GitFailure";
  readonly exitCode: number | null;
  readonly said: string;

  constructor(args: readonly string[], exitCode: number | null, said: string) {
    const command = args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
    super(
      `git ${command}: ${said.trim().split("\n").slice(-5).join("\n") || `ended with ${String(exitCode)}`}`,
    );
    this.exitCode = exitCode;
    this.said = said;
  }
}

type GitOptions = { input?: string; signal?: AbortSignal | undefined; env?: Record<string, string> };

/** Runs git in a folder and gives what it writes, without the last line's end. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<string>;

/**
 * These would lead git to another repository, as inside a hook; and the worker's own token is for nobody who runs in a
 * worktree, be it a check or a hook that the agent has written. The rest of the environment is the user's.
 */
const WITHHELD =
  /^(GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|NAMESPACE|QUARANTINE_PATH)|PAWL_.*)$/;

/**
 * What holds for all that Pawl does by itself: no hooks of the repository, no signatures that somebody would have to type a
 * word for, no editor, and no tidying up of the user's repository behind his back.
 */
const OUR_WAY = [
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "commit.gpgSign=false"],
  ...["-c", "gc.auto=0"],
  ...["-c", "maintenance.auto=false"],
  ...["-c", "rerere.enabled=false"],
  ...["-c", "rebase.autoStash=false"],
  ...["-c", "rebase.updateRefs=false"],
  ...["-c", "core.quotePath=false"],
];

const MOST_BYTES = 67_108_864;

export function gitIn(folder: string, { hooks = false }: { hooks?: boolean } = {}): Git {
  return (args, { input, signal, env = {} } = {}) =>
    new Promise((resolve, reject) => {
      const way = hooks ? OUR_WAY.slice(2) : OUR_WAY;
      const child = execFile(
        "git",
        [...way, ...args],
        { cwd: folder, env: { ...surroundings(), ...UNATTENDED, ...env }, maxBuffer: MOST_BYTES, signal },
        (error, stdout, stderr) => {
          if (!error) resolve(stdout.replace(/\n$/, ""));
          else if (signal?.aborted) reject(signal.reason as Error);
          else reject(failureOf(error, args, stdout, stderr));
        },
      );
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input ?? "");
    });
}

function failureOf(error: ExecFileException, args: readonly string[], stdout: string, stderr: string): Error {
  if (error.code === "ENOENT" && (error as NodeJS.ErrnoException).syscall?.startsWith("spawn"))
    return new GitFailure(args, null, "there is no git here, or the folder it was to work in is gone");
  const said = `${stderr}${stderr === "" ? stdout : ""}`;
  return new GitFailure(args, typeof error.code === "number" ? error.code : null, said || error.message);
}

/** The user's environment for whatever runs in a worktree. */
export function surroundings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name)));
}

/** Words that we look for are English, and nothing waits for somebody to type. */
const UNATTENDED = {
  LC_ALL: "C.UTF-8",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  GIT_OPTIONAL_LOCKS: "0",
};

/** Whether the disk is full: then nothing here can go well, whatever the task. */
export function isDiskFull(error: unknown): boolean {
  const {
    code,
    message = "",
    said = "",
  } = (error ?? {}) as { code?: string; message?: string; said?: string };
  return (
    code === "ENOSPC" ||
    code === "EDQUOT" ||
    /No space left on device|Disk quota exceeded/.test(message + said)
  );
}
