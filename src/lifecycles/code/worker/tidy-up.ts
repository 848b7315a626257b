import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { PawlProblem } from "../../../client/index.ts";
import type { AnyClient } from "../../../client/index.ts";
import { removeAbandonedDesks } from "./agent-desk.ts";
import type { Repository } from "./repository.ts";
import {
  dropKept,
  isUnmerged,
  keptWork,
  putAway,
  removeBranch,
  removeWorktree,
  strayBranches,
  worktreesOf,
} from "./worktree.ts";
import type { KeptWork, ListedWorktree } from "./worktree.ts";

export type TidyOptions = {
  /** Worktrees of failed tasks, logs, and with `force` kept work, that are older than this go; two weeks unless given. */
  olderThanMs?: number;
  /** Also work that was never merged; without it such work is kept, under a name of its own. */
  force?: boolean;
};

export type FoundWorktree = ListedWorktree & {
  /** "gone": the server knows no such task. */
  status: string;
  /** It holds work that is not merged. */
  unmerged: boolean;
  ageMs: number;
};

/** Every worktree that Pawl has made, with its task's status. */
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

export type Tidied = { removed: string[]; kept: string[]; dropped: string[] };

/**
 * Removes what nobody needs any more: worktrees and branches of completed tasks, and worktrees of failed ones when they are
 * old. Work that is not merged outlives its worktree, unless it is told to go by force.
 */
export async function tidyUp(
  repository: Repository,
  client: AnyClient,
  { olderThanMs = TWO_WEEKS_MS, force = false }: TidyOptions = {},
): Promise<Tidied> {
  const tidied: Tidied = { removed: [], kept: [], dropped: [] };
  await removeAbandonedDesks(repository.folder);
  await repository.git(["worktree", "prune"]);
  for (const worktree of await findWorktrees(repository, client)) {
    const old = worktree.ageMs > olderThanMs;
    const done = worktree.status === "completed" || (["failed", "gone"].includes(worktree.status) && old);
    if (!done) continue;
    if (force) await removeWorktree(repository, worktree, { force });
    else await putAway(repository, worktree);
    tidied.removed.push(worktree.path);
  }
  for (const { branch, task_id } of await strayBranches(repository))
    if ((await statusOf(client, task_id)) === "completed") await removeBranch(repository, branch, { force });
  for (const work of await keptWork(repository)) {
    if (!force || !isOld(work, olderThanMs)) tidied.kept.push(work.ref);
    else {
      await dropKept(repository, work);
      tidied.dropped.push(work.ref);
    }
  }
  await removeLogs(repository, olderThanMs);
  return tidied;
}

/** What agents said long ago; the server has it as well. */
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
