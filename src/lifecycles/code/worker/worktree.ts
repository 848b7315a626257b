import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { retry } from "../../../std/retry.ts";
import { isDiskFull } from "./git.ts";
import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";

/** The worktree of one attempt. */
export type Worktree = {
  path: string;
  branch: string;
  /** The commit of the target that it started from. */
  base: string;
  /** Whether it has the work of the previous attempt, which failed or asked a person. */
  continued?: boolean;
};

const MAX_TRIES = 5;

/** Refs of unmerged work: not in the user's list of branches, and never garbage collected. */
const KEPT = "refs/pawl/kept/";

/** Creates a worktree for a task from the current target. Worktrees of earlier attempts are archived first. */
export function addWorktree(repository: Repository, task_id: string): Promise<Worktree> {
  return retry(() => createWorktree(repository, task_id), {
    // With the last worktree, git also removes the folder of all worktrees, while another worker may be adding one.
    delayAfter: (error, failures) =>
      failures + 1 >= MAX_TRIES || isDiskFull(error) ? null : (failures + 1) * 50,
  });
}

async function createWorktree(repository: Repository, task_id: string): Promise<Worktree> {
  const { git, target, folder } = repository;
  for (const left of await worktreesOf(repository, task_id)) await archiveWorktree(repository, left);
  const wanted = `pawl/${task_id}`;
  const heads = await commitsOf(git, [target, wanted]);
  const base = heads.get(target);
  if (base === undefined) throw new Error(`the branch ${target} no longer exists`);
  const branch = heads.has(wanted) ? await freeBranch(repository, task_id) : wanted;
  const path = await freePath(join(folder, "worktrees"), task_id);
  await git(["worktree", "add", "--quiet", "-b", branch, path, base]);
  if (existsSync(join(path, ".gitmodules"))) await fillSubmodules(repository, path);
  return { path, branch, base };
}

/** Initializes submodules. Errors are ignored, because the agent may not need them. */
async function fillSubmodules({ inside }: Repository, path: string): Promise<void> {
  await inside(path)(["submodule", "update", "--quiet", "--init", "--recursive"]).catch(() => undefined);
}

/** Returns a free name `pawl/<task id>` or `pawl/<task id>-<n>`. Archives a leftover branch unless it is checked out. */
export async function freeBranch(repository: Repository, task_id: string): Promise<string> {
  const { git } = repository;
  for (let n = 1; ; n++) {
    const branch = n === 1 ? `pawl/${task_id}` : `pawl/${task_id}-${n}`;
    const commit = await commitOf(git, `refs/heads/${branch}`);
    if (commit === null) return branch;
    await keepCommit(repository, task_id, commit);
    const deleted = await git(["branch", "--quiet", "-D", branch]).then(
      () => true,
      () => false,
    );
    if (deleted) return branch;
  }
}

/** Returns an unused path: an agent that outlived its worker must not end up in another agent's worktree. */
export async function freePath(folder: string, task_id: string): Promise<string> {
  for (let n = 1; ; n++) {
    const path = join(folder, `${task_id}.${n}`);
    if ((await stat(path).catch(() => null)) === null) return path;
  }
}

export type ListedWorktree = { path: string; task_id: string; branch: string | null };

/** Lists the worktrees in Pawl's folder, of one task or of all. */
export async function worktreesOf({ git, folder }: Repository, task_id?: string): Promise<ListedWorktree[]> {
  const listed = await git(["worktree", "list", "--porcelain"]);
  return listed.split("\n\n").flatMap((entry) => {
    const path = /^worktree (.*)$/m.exec(entry)?.[1] ?? "";
    const [, id] = /^([0-9a-f-]{36})\.\d+$/.exec(basename(path)) ?? [];
    const ours = path.startsWith(join(folder, "worktrees") + sep);
    if (!ours || id === undefined || (task_id !== undefined && id !== task_id)) return [];
    return [{ path, task_id: id, branch: /^branch refs\/heads\/(.*)$/m.exec(entry)?.[1] ?? null }];
  });
}

export type StrayBranch = { branch: string; task_id: string };

/** Finds branches of tasks that are not checked out. A worker that is killed while it removes a worktree leaves one. */
export async function strayBranches({ git }: Repository): Promise<StrayBranch[]> {
  const format = "%(refname:lstrip=2)%00%(worktreepath)";
  const listed = await git(["for-each-ref", `--format=${format}`, "refs/heads/pawl/"]);
  return listed.split("\n").flatMap((line) => {
    const [branch = "", worktree = ""] = line.split("\u0000");
    const ours = /^pawl\/[0-9a-f-]{36}(-\d+)?$/.test(branch) && worktree === "";
    return ours ? [{ branch, task_id: taskOfBranch(branch) }] : [];
  });
}

/** Removes a worktree and its branch; keeps unmerged work under its own ref. */
export async function archiveWorktree(
  repository: Repository,
  left: Omit<ListedWorktree, "task_id"> & { task_id?: string },
): Promise<void> {
  const task_id = left.task_id ?? basename(left.path).slice(0, 36);
  if (existsSync(left.path)) await keepUnfinished(repository, task_id, left.path);
  await removeWorktree(repository, left);
}

/** Removes the worktree of merged work, and its branch if it is still at the merged commit. */
export async function removeMerged(
  repository: Repository,
  worktree: Worktree,
  commit: string,
): Promise<void> {
  const { git } = repository;
  const { path, branch } = worktree;
  const removed = await git(["worktree", "remove", "--force", "--force", path])
    .then(() => git(["update-ref", "-d", `refs/heads/${branch}`, commit]))
    .then(
      () => true,
      () => false,
    );
  if (!removed) await removeWorktree(repository, worktree);
}

/** Removes a worktree and its branch; keeps unmerged commits unless `force` is set. */
export async function removeWorktree(
  repository: Repository,
  { path, branch }: { path: string; branch: string | null },
  { force = false } = {},
): Promise<void> {
  const { git } = repository;
  // Twice --force: once for changed files, once for a locked worktree.
  await git(["worktree", "remove", "--force", "--force", path]).catch(async () => {
    await rm(path, { recursive: true, force: true });
    await git(["worktree", "prune"]);
  });
  if (branch !== null) await removeBranch(repository, branch, { force });
}

/** Removes a task's branch unless it is checked out; keeps unmerged commits unless `force` is set. */
export async function removeBranch(
  repository: Repository,
  branch: string,
  { force = false } = {},
): Promise<void> {
  const { git } = repository;
  const commit = await commitOf(git, `refs/heads/${branch}`);
  if (commit === null) return;
  if (!force) await keepCommit(repository, taskOfBranch(branch), commit);
  await git(["branch", "--quiet", "-D", branch]).catch(() => undefined);
}

function taskOfBranch(branch: string): string {
  return branch.replace(/^pawl\//, "").slice(0, 36);
}

/** Commits the unfinished work of a worktree and keeps it. */
async function keepUnfinished(repository: Repository, task_id: string, path: string): Promise<void> {
  const git = repository.inside(path);
  // Without its link to the repository, git cannot keep its files.
  if (!repository.owns(path)) return;
  const home = await git(["rev-parse", "--path-format=absolute", "--git-dir"]).catch(() => null);
  if (home === null) return;
  // A killed process leaves its lock file.
  await rm(join(home, "index.lock"), { force: true });
  await git(["rebase", "--quit"]).catch(() => undefined);
  await git(["add", "--all"]).catch(() => undefined);
  const clean = await git(["diff", "--no-ext-diff", "--cached", "--quiet"]).then(
    () => true,
    () => false,
  );
  if (!clean)
    await git(["commit", "--quiet", "--no-verify", "-m", `Unfinished work on ${task_id}`]).catch(
      () => undefined,
    );
  const head = await commitOf(git, "HEAD");
  if (head !== null && (await isUnmerged(repository, head))) await keepCommit(repository, task_id, head);
}

/** Returns whether the target does not contain a commit. */
export async function isUnmerged({ git, target }: Repository, commit: string): Promise<boolean> {
  return (await git(["rev-list", "-n", "1", commit, `^refs/heads/${target}`])) !== "";
}

/** Keeps unmerged work under its own ref. */
export async function keepCommit(repository: Repository, task_id: string, commit: string): Promise<void> {
  const { git } = repository;
  if (!(await isUnmerged(repository, commit))) return;
  const kept = await git(["for-each-ref", "--format=%(objectname)", `${KEPT}${task_id}/`]);
  if (kept.split("\n").includes(commit)) return;
  for (let n = 1; ; n++) {
    const name = `${KEPT}${task_id}/${n}`;
    if ((await commitOf(git, name)) !== null) continue;
    await git(["update-ref", name, commit, ""]);
    return;
  }
}

export type KeptWork = { ref: string; task_id: string; commit: string; at: number; subject: string };

/** Lists the kept unmerged work of earlier attempts. */
export async function keptWork({ git }: Repository): Promise<KeptWork[]> {
  const format = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)";
  const listed = await git(["for-each-ref", `--format=${format}`, KEPT]);
  return listed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [ref = "", commit = "", at = "0", subject = ""] = line.split("\u0000");
      return {
        ref,
        task_id: ref.slice(KEPT.length, KEPT.length + 36),
        commit,
        at: Number(at) * 1_000,
        subject,
      };
    });
}

export async function dropKept({ git }: Repository, { ref, commit }: KeptWork): Promise<void> {
  await git(["update-ref", "-d", ref, commit]);
}

/** Reads the commits of existing branches. */
async function commitsOf(git: Git, branches: readonly string[]): Promise<Map<string, string>> {
  const names = branches.map((branch) => `refs/heads/${branch}`);
  const listed = await git(["for-each-ref", "--format=%(objectname) %(refname)", ...names]);
  const rows = listed.split("\n").map((line) => {
    const [commit = "", name = ""] = line.split(" ");
    return [name.replace(/^refs\/heads\//, ""), commit] as const;
  });
  return new Map(rows.filter(([branch]) => branches.includes(branch)));
}

export async function commitOf(git: Git, name: string): Promise<string | null> {
  return git(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]).catch(() => null);
}
