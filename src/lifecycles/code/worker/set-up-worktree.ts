import { noteInLog, runShell } from "./attempt-command.ts";
import type { AttemptOutput } from "./attempt-command.ts";
import { copyIgnored, findIgnored } from "./copy-ignored.ts";
import type { Repository } from "./repository.ts";
import { cacheKey, restoreCache, saveCache } from "./setup-cache.ts";
import type { SetupCache } from "./setup-cache.ts";
import { SETUP_FILE, setupFileId } from "./setup-file.ts";
import { readRecord, writeRecord } from "./setup-record.ts";
import type { RecordPlace } from "./setup-record.ts";
import { AttemptFailed, WorkerUnusable } from "./worker-errors.ts";
import type { Worktree } from "./worktree.ts";

/** How worktrees are prepared for agents, and cleaned up after them. */
export type WorktreeSetup = {
  /** Shell command that runs in a new worktree before its agent. */
  command: string | null;
  timeoutMs: number;
  /** Patterns of ignored files to copy from the user's checkout. */
  copy: readonly string[];
  caches: readonly SetupCache[];
  /** Shell command that runs in the worktree when an attempt has ended. */
  cleanup: string | null;
  cleanupTimeoutMs: number;
  /** The id of the set-up file that these settings were read with; undefined if it is not used. */
  fileId?: string | null | undefined;
};

/** The set-up of a worktree failed; its agent does not run. */
export class SetupFailed extends AttemptFailed {}

export type SetupPlace = AttemptOutput & {
  repository: Repository;
  worktree: Pick<Worktree, "path" | "continued">;
  task_id: string;
  signal: AbortSignal;
};

const MAX_FAILURES_IN_ROW = 3;

/** Prepares a worktree for its agent, unless that was done in an earlier attempt. Throws SetupFailed with the output. */
export async function setUpWorktree(
  setup: WorktreeSetup | null | undefined,
  place: SetupPlace,
): Promise<void> {
  if (!setup || (await readRecord(place))?.state === "done") return;
  try {
    await noteOutdatedFile(setup, place);
    await keepWork(place, () => prepare(setup, place));
  } catch (error) {
    throw asSetupFailure(error, place.signal);
  }
}

async function prepare(setup: WorktreeSetup, place: SetupPlace): Promise<void> {
  const { repository, worktree } = place;
  const before = await readRecord(place);
  // Where an agent has worked, ignored files may be its own.
  const save = before === null && worktree.continued !== true && (await isCleanTarget(place));
  const { files, unmatched } = await findIgnored(repository, worktree.path, setup.copy, before?.copied);
  const copied = [...new Set([...(before?.copied ?? []), ...files])];
  // Recorded before they are there: if this worker is killed meanwhile, they are not merged either.
  await writeRecord(place, { state: "begun", keys: [], copied });
  const replace = before?.state === "begun";
  const now = await copyIgnored(repository, worktree.path, files, { replace });
  if (now.length > 0) await noteInLog(place, `copied ${now.join(", ")}`);
  for (const pattern of unmatched) await noteInLog(place, `no ignored file matches ${pattern}`);
  const keys = await install(setup, place, { save });
  await discardTracked(place);
  await writeRecord(place, { state: "done", keys, copied });
}

/** Keeps the uncommitted work of a continued attempt in a commit, while the set-up changes files around it. */
async function keepWork(
  { repository, worktree, task_id }: SetupPlace,
  work: () => Promise<void>,
): Promise<void> {
  const git = repository.inside(worktree.path);
  if ((await git(["status", "--porcelain"])) === "") return work();
  const head = await git(["rev-parse", "HEAD"]);
  await git(["add", "--all"]);
  await git(["commit", "--quiet", "--no-verify", "--allow-empty", "-m", `Unfinished work on ${task_id}`]);
  try {
    await work();
  } finally {
    await git(["reset", "--quiet", "--mixed", head]);
  }
}

/**
 * Runs the set-up command again if the lock files have changed since, for example by the work of others that was merged
 * meanwhile. Called before `verify`.
 */
export async function refreshSetup(
  setup: WorktreeSetup | null | undefined,
  place: SetupPlace,
): Promise<void> {
  if (!setup?.command || setup.caches.length === 0) return;
  const record = await readRecord(place);
  const keys = await keysOf(setup, place);
  if (record === null || record.keys.join() === keys.join()) return;
  await noteInLog(place, "lock files have changed: setting up again");
  try {
    await install(setup, place, { save: false });
    await writeRecord(place, { ...record, keys });
  } catch (error) {
    throw asSetupFailure(error, place.signal);
  }
}

/** Counts failures of the set-up without a success in between: the fault is then outside of the tasks. */
export class SetupFailures {
  private inRow = 0;

  /** Throws WorkerUnusable at the third failure, so that a worker does not fail its whole queue. */
  count(error: AttemptFailed): void {
    this.inRow = error instanceof SetupFailed ? this.inRow + 1 : 0;
    if (this.inRow < MAX_FAILURES_IN_ROW) return;
    throw new WorkerUnusable(
      `The set-up failed ${this.inRow} times in a row; no more tasks are claimed.\n${error.message}`,
      { letAgentsFinish: true },
    );
  }

  reset(): void {
    this.inRow = 0;
  }
}

/** Returns the files that the set-up has copied to a worktree. */
export async function copiedFiles(place: RecordPlace): Promise<readonly string[]> {
  return (await readRecord(place))?.copied ?? [];
}

/** Restores all caches, or runs the command and stores them. Returns the names of the caches. */
async function install(
  setup: WorktreeSetup,
  place: SetupPlace,
  { save }: { save: boolean },
): Promise<(string | null)[]> {
  const { command, caches, timeoutMs } = setup;
  if (command === null) return [];
  const keys = await keysOf(setup, place);
  if (caches.length > 0 && (await restoreAll(caches, keys, place))) {
    await noteInLog(place, `restored ${caches.flatMap(({ folders }) => folders).join(", ")} from the cache`);
    return keys;
  }
  await noteInLog(place, `set-up: ${command}`);
  const { path: cwd } = place.worktree;
  await runShell({ ...place, command, timeoutMs, cwd, env: setupEnvironment(place) });
  // Files of an agent's branch must not reach other tasks by way of the cache.
  if (save) await saveAll(setup, keys, place);
  return keys;
}

function keysOf({ command, caches }: WorktreeSetup, { worktree }: SetupPlace): Promise<(string | null)[]> {
  return Promise.all(caches.map((cache) => cacheKey(worktree.path, cache, command ?? "")));
}

async function restoreAll(
  caches: readonly SetupCache[],
  keys: readonly (string | null)[],
  { repository, worktree }: SetupPlace,
): Promise<boolean> {
  for (const [index, cache] of caches.entries()) {
    const key = keys[index] ?? null;
    if (key === null || !(await restoreCache(repository.folder, key, worktree.path, cache))) return false;
  }
  return true;
}

async function saveAll(
  setup: WorktreeSetup,
  keys: readonly (string | null)[],
  place: SetupPlace,
): Promise<void> {
  const after = await keysOf(setup, place);
  for (const [index, cache] of setup.caches.entries()) {
    const key = keys[index] ?? null;
    const problem =
      key === null
        ? `${cache.locks.join(", ")} is missing`
        : after[index] !== key
          ? `the set-up has changed ${cache.locks.join(", ")}`
          : await saveCache(place.repository.folder, key, place.worktree.path, cache);
    if (problem !== null) await noteInLog(place, `${cache.folders.join(", ")} is not cached: ${problem}`);
  }
}

/** Variables of the set-up and clean-up commands. */
export function setupEnvironment({
  repository,
  task_id,
}: Pick<SetupPlace, "repository" | "task_id">): Record<string, string> {
  return { PAWL_TASK_ID: task_id, PAWL_CHECKOUT: repository.root };
}

/** Returns whether a worktree has exactly the files of a commit of the target. */
async function isCleanTarget({ repository, worktree }: SetupPlace): Promise<boolean> {
  const git = repository.inside(worktree.path);
  const isTarget = await git(["merge-base", "--is-ancestor", "HEAD", `refs/heads/${repository.target}`]).then(
    () => true,
    () => false,
  );
  return isTarget && (await git(["status", "--porcelain"])) === "";
}

/** Undoes changes of the set-up to files that git does not ignore: they would be merged as the agent's work. */
async function discardTracked(place: SetupPlace): Promise<void> {
  const git = place.repository.inside(place.worktree.path);
  const changed = await git(["status", "--porcelain", "--no-renames"]);
  if (changed === "") return;
  const names = changed.split("\n").map((line) => line.slice(3));
  await git(["reset", "--quiet", "--hard"]);
  await git(["clean", "-ffdq"]).catch(() => undefined);
  const shown = `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
  await noteInLog(place, `discarded changes of the set-up to files that git does not ignore: ${shown}`);
}

async function noteOutdatedFile({ fileId }: WorktreeSetup, place: SetupPlace): Promise<void> {
  if (fileId === undefined || (await setupFileId(place.repository)) === fileId) return;
  await noteInLog(
    place,
    `${SETUP_FILE} has changed on ${place.repository.target}; workers that start from now on use it`,
  );
}

function asSetupFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || !(error instanceof AttemptFailed)) return error;
  return new SetupFailed(`The set-up failed, and the agent did not run. ${error.message}`, error);
}
