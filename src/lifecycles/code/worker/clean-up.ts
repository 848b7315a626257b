import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { PawlProblem } from "../../../client/index.ts";
import type { AnyClient } from "../../../client/index.ts";
import { removeAbandonedFolders } from "./agent-folder.ts";
import type { Repository } from "./repository.ts";
import { removeUnfinishedCaches } from "./setup-cache.ts";
import {
  dropKept,
  isUnmerged,
  keptWork,
  archiveWorktree,
  removeBranch,
  removeWorktree,
  strayBranches,
  worktreesOf,
} from "./worktree.ts";
import type { KeptWork, ListedWorktree } from "./worktree.ts";

export type CleanUpOptions = {
  /** Minimum age for removing worktrees of failed tasks, logs, and with `force` kept work; default two weeks. */
  olderThanMs?: number;
  /** Also removes unmerged work, which is otherwise kept under its own ref. */
  force?: boolean;
};

export type FoundWorktree = ListedWorktree & {
  /** "gone": the server does not know the task. */
  status: string;
  /** Whether it contains unmerged work. */
  unmerged: boolean;
  ageMs: number;
};

/** Finds all worktrees that Pawl created, with the status of their tasks. */
export async function findWorktrees(repository: Repository, client: AnyClient): Promise<FoundWorktree[]> {
  const listed = await worktreesOf(repository);
  return Promise.all(
    listed.map(async (worktree) => ({
      ...worktree,
      status: await statusOf(client, worktree.task_id),
      unmerged: await holdsWork(repository, worktree.path),
      ageMs: await ageOf(worktree.path),
    })),
  );
}

const TWO_WEEKS_MS = 14 * 86_400_000;

export type CleanUpReport = { removed: string[]; kept: string[]; dropped: string[] };

/**
 * Removes worktrees and branches of completed tasks, and old worktrees of failed tasks. Unmerged work is kept, unless `force`
 * is set.
 */
export async function cleanUp(
  repository: Repository,
  client: AnyClient,
  { olderThanMs = TWO_WEEKS_MS, force = false }: CleanUpOptions = {},
): Promise<CleanUpReport> {
  const report: CleanUpReport = { removed: [], kept: [], dropped: [] };
  await removeAbandonedFolders(repository.folder);
  await removeUnfinishedCaches(repository.folder);
  await repository.git(["worktree", "prune"]);
  for (const worktree of await findWorktrees(repository, client)) {
    const old = worktree.ageMs > olderThanMs;
    const done = worktree.status === "completed" || (["failed", "gone"].includes(worktree.status) && old);
    if (!done) continue;
    if (force) await removeWorktree(repository, worktree, { force });
    else await archiveWorktree(repository, worktree);
    report.removed.push(worktree.path);
  }
  for (const { branch, task_id } of await strayBranches(repository))
    if ((await statusOf(client, task_id)) === "completed") await removeBranch(repository, branch, { force });
  for (const work of await keptWork(repository)) {
    if (!force || !isOld(work, olderThanMs)) report.kept.push(work.ref);
    else {
      await dropKept(repository, work);
      report.dropped.push(work.ref);
    }
  }
  await removeLogs(repository, olderThanMs);
  return report;
}

/** Removes old log files. */
async function removeLogs({ folder }: Repository, olderThanMs: number): Promise<void> {
  const logs = join(folder, "logs");
  for (const name of await readdir(logs).catch(() => []))
    if ((await ageOf(join(logs, name))) > olderThanMs) await rm(join(logs, name), { force: true });
}

function isOld({ at }: KeptWork, olderThanMs: number): boolean {
  return Date.now() - at > olderThanMs;
}

async function statusOf(client: AnyClient, id: string): Promise<string> {
  try {
    return (await client.getTask({ id })).status;
  } catch (error) {
    if (error instanceof PawlProblem && error.status === 404) return "gone";
    throw error;
  }
}

async function holdsWork(repository: Repository, path: string): Promise<boolean> {
  const git = repository.inside(path);
  try {
    // If an agent has replaced the worktree, only its commits count as work.
    if (repository.owns(path) && (await git(["status", "--porcelain"])) !== "") return true;
    return await isUnmerged(repository, await git(["rev-parse", "HEAD"]));
  } catch {
    return false;
  }
}

async function ageOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return found ? Date.now() - found.mtimeMs : 0;
}
