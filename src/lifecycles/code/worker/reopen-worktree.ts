import { join } from "node:path";
import type { Repository } from "./repository.ts";
import { archiveWorktree, commitOf, freeBranch, freePath, worktreesOf } from "./worktree.ts";
import type { Worktree } from "./worktree.ts";

/** This repository does not have the work that a task continues with. */
export class WorkMissing extends Error {
  override readonly name = "WorkMissing";
}

export type ReviewedWork = {
  branch: string;
  commit: string;
  /** Only this commit: it was approved. Otherwise commits that people added to the branch are kept. */
  exact: boolean;
};

/**
 * Opens a worktree with the reviewed work of a task: the one that the attempt left if it is unchanged, or else a new one. Throws
 * WorkMissing if neither this repository nor `remote` has the commit.
 */
export async function reopenWorktree(
  repository: Repository,
  task_id: string,
  work: ReviewedWork,
  remote: string | null,
): Promise<Worktree> {
  const { git, target, folder } = repository;
  const { commit, branch } = work;
  if ((await commitOf(git, commit)) === null) await fetchWork(repository, work, remote);
  const tip = await commitOf(git, `refs/heads/${branch}`);
  const start = !work.exact && tip !== null && (await contains(repository, tip, commit)) ? tip : commit;
  const base = await git(["merge-base", `refs/heads/${target}`, start]);
  let reused: Worktree | null = null;
  for (const left of await worktreesOf(repository, task_id)) {
    const isReusable = left.branch === branch && (await isUnchanged(repository, left.path, start));
    if (isReusable && reused === null) reused = { path: left.path, branch, base };
    else await archiveWorktree(repository, left);
  }
  if (reused !== null) return reused;
  const path = await freePath(join(folder, "worktrees"), task_id);
  if ((await commitOf(git, `refs/heads/${branch}`)) === start) {
    await git(["worktree", "add", "--quiet", path, branch]);
    return { path, branch, base };
  }
  const own = await freeBranch(repository, task_id);
  await git(["worktree", "add", "--quiet", "-b", own, path, start]);
  return { path, branch: own, base };
}

async function fetchWork(
  { git, root }: Repository,
  { branch, commit }: ReviewedWork,
  remote: string | null,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if (remote !== null) await git(["fetch", "--quiet", "--no-tags", remote, ref]).catch(() => undefined);
  if ((await commitOf(git, commit)) !== null) return;
  throw new WorkMissing(
    `The reviewed commit ${commit.slice(0, 12)} of ${branch} is not in ${root}. Another machine has it: run a worker there, or push the branch from there and fetch it here.`,
  );
}

async function contains({ git }: Repository, commit: string, ancestor: string): Promise<boolean> {
  return git(["merge-base", "--is-ancestor", ancestor, commit]).then(
    () => true,
    () => false,
  );
}

async function isUnchanged({ inside, owns }: Repository, path: string, commit: string): Promise<boolean> {
  if (!owns(path)) return false;
  const git = inside(path);
  try {
    return (await git(["rev-parse", "HEAD"])) === commit && (await git(["status", "--porcelain"])) === "";
  } catch {
    return false;
  }
}
