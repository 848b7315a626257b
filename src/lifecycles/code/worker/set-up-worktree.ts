import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { logFileOf, noteInLog, runShell } from "./attempt-command.ts";
import type { AttemptOutput } from "./attempt-command.ts";
import { copyIgnored } from "./copy-ignored.ts";
import type { Repository } from "./repository.ts";
import { cacheKey, restoreCache, saveCache } from "./setup-cache.ts";
import type { SetupCache } from "./setup-cache.ts";
import { SETUP_FILE, setupFileId } from "./setup-file.ts";
import { AttemptFailed, WorkerUnusable } from "./worker-errors.ts";
import { worktreesOf } from "./worktree.ts";
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
  worktree: Pick<Worktree, "path">;
  task_id: string;
  signal: AbortSignal;
};

/** Kept in git's record of a worktree, so it is removed with the worktree. */
type SetupRecord = { state: "begun" | "done"; keys: (string | null)[]; copied: string[] };
const RECORD = "pawl-setup";
const MAX_FAILURES_IN_ROW = 3;

/** Prepares a worktree for its agent, unless that was done in an earlier attempt. Throws SetupFailed with the output. */
export async function setUpWorktree(
  setup: WorktreeSetup | null | undefined,
  place: SetupPlace,
): Promise<void> {
  if (!setup || (await readRecord(place))?.state === "done") return;
  try {
    await noteOutdatedFile(setup, place);
    const isTarget = await isCleanTarget(place);
    await writeRecord(place, { state: "begun", keys: [], copied: [] });
    const { copied, unmatched } = await copyIgnored(place.repository, place.worktree.path, setup.copy);
    if (copied.length > 0) await noteInLog(place, `copied ${copied.join(", ")}`);
    for (const pattern of unmatched) await noteInLog(place, `no ignored file matches ${pattern}`);
    await writeRecord(place, { state: "begun", keys: [], copied });
    const keys = await install(setup, place, { save: isTarget });
    await discardTracked(place);
    await writeRecord(place, { state: "done", keys, copied });
  } catch (error) {
    throw asSetupFailure(error, place.signal);
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

/** Runs the clean-up command in a worktree that was set up. Its failure is noted in the log; the attempt's result stays. */
export async function cleanUpAfterAttempt(
  setup: WorktreeSetup | null | undefined,
  place: Omit<SetupPlace, "signal">,
): Promise<void> {
  if (!setup?.cleanup || (await readRecord(place)) === null) return;
  const { cleanup: command, cleanupTimeoutMs: timeoutMs } = setup;
  // The attempt's own signal may be aborted already; the time limit still applies.
  const { signal } = new AbortController();
  await runShell({
    ...place,
    command,
    timeoutMs,
    signal,
    cwd: place.worktree.path,
    env: environmentOf(place),
  }).catch((error: unknown) =>
    noteInLog(place, `clean-up failed: ${(error as Error).message.split("\n", 1)[0] ?? ""}`),
  );
  await rm((await recordFile(place)) ?? "", { force: true }).catch(() => undefined);
}

/** Cleans up after attempts of a task whose worker was killed. */
export async function cleanUpLeftovers(
  setup: WorktreeSetup | null | undefined,
  repository: Repository,
  { id: task_id, row_version }: { id: string; row_version: number },
): Promise<void> {
  if (!setup?.cleanup) return;
  const logFile = logFileOf(repository, task_id, row_version);
  for (const worktree of await worktreesOf(repository, task_id)) {
    const place = { repository, worktree, task_id, logFile, output: { append: () => undefined } };
    await cleanUpAfterAttempt(setup, place);
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
export async function copiedFiles(
  place: Pick<SetupPlace, "repository" | "worktree">,
): Promise<readonly string[]> {
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
  await runShell({ ...place, command, timeoutMs, cwd, env: environmentOf(place) });
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

function environmentOf({
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

type RecordPlace = Pick<SetupPlace, "repository" | "worktree">;

async function recordFile({ repository, worktree }: RecordPlace): Promise<string | null> {
  const gitDir = ["rev-parse", "--path-format=absolute", "--git-dir"];
  const home = await repository
    .inside(worktree.path)(gitDir)
    .catch(() => null);
  return home === null ? null : join(home, RECORD);
}

async function readRecord(place: RecordPlace): Promise<SetupRecord | null> {
  try {
    return JSON.parse(await readFile((await recordFile(place)) ?? "", "utf8")) as SetupRecord;
  } catch {
    return null;
  }
}

async function writeRecord(place: RecordPlace, record: SetupRecord): Promise<void> {
  const file = await recordFile(place);
  if (file === null) return;
  // Never through a link, which an agent could have put there.
  await rm(file, { force: true });
  await writeFile(file, JSON.stringify(record), { flag: "wx", mode: 0o600 });
}
