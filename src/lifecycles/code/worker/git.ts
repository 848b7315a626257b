import { execFile } from "node:child_process";
import type { ExecFileException } from "node:child_process";

/** A git command that failed, with its output. */
export class GitFailure extends Error {
  override readonly name = "GitFailure";
  readonly exitCode: number | null;
  readonly output: string;

  constructor(args: readonly string[], exitCode: number | null, output: string) {
    const command = args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
    super(
      `git ${command}: ${output.trim().split("\n").slice(-5).join("\n") || `ended with ${String(exitCode)}`}`,
    );
    this.exitCode = exitCode;
    this.output = output;
  }
}

type GitOptions = { input?: string; signal?: AbortSignal | undefined; env?: Record<string, string> };

/** Runs git in a folder and returns its output without the final line break. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<string>;

/**
 * Variables that point git to another repository, as set inside a hook (`git rev-parse --local-env-vars`), and the worker's own
 * token, because the agent may write checks and hooks. Everything else of the user's environment is kept, even GIT_CONFIG_COUNT.
 */
const WITHHELD =
  /^(GIT_(DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|NAMESPACE|QUARANTINE_PATH|CONFIG|CONFIG_PARAMETERS|GRAFT_FILE|SHALLOW_FILE|REPLACE_REF_BASE)|PAWL_.*)$/;

/**
 * Settings for every git call of Pawl. Agents can write to the files from which git reads its settings, so settings that run a
 * program are switched off here, or restored by `pinConfig` where users need them. Signing is off because it would wait for a
 * passphrase, and maintenance because the repository is the user's.
 */
const SETTINGS = [
  "core.fsmonitor=false",
  "core.pager=cat",
  "protocol.ext.allow=never",
  // Otherwise git runs inside submodules, with their own settings.
  "diff.ignoreSubmodules=dirty",
  "submodule.recurse=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "rerere.enabled=false",
  "rebase.autoStash=false",
  "rebase.updateRefs=false",
  "rebase.rebaseMerges=false",
  "core.quotePath=false",
  // The rest are preferences of users that change output which Pawl reads, or make its commands fail.
  "color.ui=false",
  "color.diff=false",
  "color.status=false",
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
  "status.showUntrackedFiles=normal",
  "log.showSignature=false",
  "merge.ff=true",
  "merge.verifySignatures=false",
  "rebase.backend=merge",
  "commit.cleanup=whitespace",
].flatMap((setting) => ["-c", setting]);

/** A hooks path without hooks. */
export const NO_HOOKS = "/dev/null";
const MAX_OUTPUT_BYTES = 67_108_864;

export type GitPlace = {
  /** Working directory. */
  cwd: string;
  /** Names the repository, so that git does not search for one. */
  env?: Record<string, string>;
  hooksPath?: string | null;
};

/** Returns a function that runs git in a folder. Hooks run only from `hooksPath`. */
export function gitIn({ cwd, env: place = {}, hooksPath = null }: GitPlace): Git {
  return (args, { input, signal, env = {} } = {}) =>
    new Promise((resolve, reject) => {
      const child = execFile(
        "git",
        [...SETTINGS, "-c", `core.hooksPath=${hooksPath ?? NO_HOOKS}`, ...args],
        {
          cwd,
          env: { ...childEnvironment(), ...UNATTENDED, ...place, ...env },
          maxBuffer: MAX_OUTPUT_BYTES,
          signal,
        },
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
    return new GitFailure(args, null, "git is not installed, or its working folder is gone");
  const output = `${stderr}${stderr === "" ? stdout : ""}`;
  return new GitFailure(args, typeof error.code === "number" ? error.code : null, output || error.message);
}

/** The user's environment for programs that run in a worktree. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name)));
}

/** Makes git's messages English, because some are parsed, and keeps git from waiting for input. */
const UNATTENDED = {
  LC_ALL: "C.UTF-8",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_PAGER: "cat",
  // Replacement objects (`git replace`) of an agent must not change the merged work.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

/** Returns whether the disk is full, in which case every task would fail. */
export function isDiskFull(error: unknown): boolean {
  const {
    code,
    message = "",
    output = "",
  } = (error ?? {}) as { code?: string; message?: string; output?: string };
  return (
    code === "ENOSPC" ||
    code === "EDQUOT" ||
    /No space left on device|Disk quota exceeded/.test(message + output)
  );
}
