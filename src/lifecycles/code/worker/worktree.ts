import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { retry } from "../../../std/retry.ts";
import { isDiskFull } from "./git.ts";
import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Where one attempt at a task works. */
export type Worktree = {
  path: string;
  branch: string;
  /** The target's commit that it started from. */
  base: string;
};

const MOST_TRIES = 5;

/** Where a task's unfinished work is kept: no branch of the user's list, and nothing that git would tidy away. */
const KEPT = "refs/pawl/kept/";

/** A worktree of its own for a task, from the target as it is now. What earlier attempts left is put away first. */
export function addWorktree(repository: Repository, task_id: string): Promise<Worktree> {
  return retry(() => makeWorktree(repository, task_id), {
    // With the last worktree git also removes the folder of all worktrees, which can hit another worker that adds one at that moment.
    delayAfter: (error, failures) =>
      failures + 1 >= MOST_TRIES || isDiskFull(error) ? null : (failures + 1) * 50,
  });
}

async function makeWorktree(repository: Repository, task_id: string): Promise<Worktree> {
  const { git, target, folder } = repository;
  for (const left of await worktreesOf(repository, task_id)) await putAway(repository, left);
  const wanted = `pawl/${task_id}`;
  const heads = await commitsOf(git, [target, wanted]);
  const base = heads.get(target);
  if (base === undefined) throw new Error(`there is no branch ${target} any more`);
  const branch = heads.has(wanted) ? await freeBranch(repository, task_id) : wanted;
  const path = await freePath(join(folder, "worktrees"), task_id);
  await git(["worktree", "add", "--quiet", "-b", branch, path, base]);
  if (existsSync(join(path, ".gitmodules"))) await fillSubmodules(repository, path);
  return { path, branch, base };
}

/** As far as they can be had: what an agent does not need must not keep it from working. */
async function fillSubmodules({ inside }: Repository, path: string): Promise<void> {
  await inside(path)(["submodule", "update", "--quiet", "--init", "--recursive"]).catch(() => undefined);
}

/** `pawl/<task id>`; one of that name that is left is put away, and one that somebody has checked out is left alone. */
async function freeBranch(repository: Repository, task_id: string): Promise<string> {
  const { git } = repository;
  for (let n = 1; ; n++) {
    const branch = n === 1 ? `pawl/${task_id}` : `pawl/${task_id}-${n}`;
    const commit = await commitOf(git, `refs/heads/${branch}`);
    if (commit === null) return branch;
    await keep(repository, task_id, commit);
    const deleted = await git(["branch", "--quiet", "-D", branch]).then(
      () => true,
      () => false,
    );
    if (deleted) return branch;
  }
}

/** Never one that was used before: an agent that outlived its worker must not find itself in another's. */
async function freePath(folder: string, task_id: string): Promise<string> {
  for (let n = 1; ; n++) {
    const path = join(folder, `${task_id}.${n}`);
    if ((await stat(path).catch(() => null)) === null) return path;
  }
}

export type ListedWorktree = { path: string; task_id: string; branch: string | null };

/** The worktrees that Pawl has made in its folder, of one task or of all. */
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

/** Branches of tasks that no worktree has checked out. A worker that is killed while it removes a worktree leaves one. */
export async function strayBranches({ git }: Repository): Promise<StrayBranch[]> {
  const format = "%(refname:lstrip=2)%00%(worktreepath)";
  const listed = await git(["for-each-ref", `--format=${format}`, "refs/heads/pawl/"]);
  return listed.split("\n").flatMap((line) => {
    const [branch = "", worktree = ""] = line.split("\u0000");
    const ours = /^pawl\/[0-9a-f-]{36}(-\d+)?$/.test(branch) && worktree === "";
    return ours ? [{ branch, task_id: taskOfBranch(branch) }] : [];
  });
}

/** Removes a worktree and its branch; work in it that is not merged is kept under a name of its own. */
export async function putAway(
  repository: Repository,
  left: Omit<ListedWorktree, "task_id"> & { task_id?: string },
): Promise<void> {
  const task_id = left.task_id ?? basename(left.path).slice(0, 36);
  if (existsSync(left.path)) await keepUnfinished(repository, task_id, left.path);
  await removeWorktree(repository, left);
}

/** Removes the worktree of merged work, and its branch where it is still at what was merged. */
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

/** Removes a worktree and its branch; commits that are not merged are kept, unless it is told to go by force. */
export async function removeWorktree(
  repository: Repository,
  { path, branch }: { path: string; branch: string | null },
  { force = false } = {},
): Promise<void> {
  const { git } = repository;
  // Twice by force: once for what is in it, once for a lock on it.
  await git(["worktree", "remove", "--force", "--force", path]).catch(async () => {
    await rm(path, { recursive: true, force: true });
    await git(["worktree", "prune"]);
  });
  if (branch !== null) await removeBranch(repository, branch, { force });
}

/** Removes a branch of a task unless somebody has it checked out; commits that are not merged are kept, unless by force. */
export async function removeBranch(
  repository: Repository,
  branch: string,
  { force = false } = {},
): Promise<void> {
  const { git } = repository;
  const commit = await commitOf(git, `refs/heads/${branch}`);
  if (commit === null) return;
  if (!force) await keep(repository, taskOfBranch(branch), commit);
  await git(["branch", "--quiet", "-D", branch]).catch(() => undefined);
}

function taskOfBranch(branch: string): string {
  return branch.replace(/^pawl\//, "").slice(0, 36);
}

/** What somebody was in the middle of is committed as it lies there, and kept. */
async function keepUnfinished(repository: Repository, task_id: string, path: string): Promise<void> {
  const git = repository.inside(path);
  // Without its link to the repository it is a folder with files, and nothing that git could keep.
  if (!repository.owns(path)) return;
  const home = await git(["rev-parse", "--path-format=absolute", "--git-dir"]).catch(() => null);
  if (home === null) return;
  // A process that was killed cannot let go of it.
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
  if (head !== null && (await isUnmerged(repository, head))) await keep(repository, task_id, head);
}

/** Whether a commit holds anything that the target has not. */
export async function isUnmerged({ git, target }: Repository, commit: string): Promise<boolean> {
  return (await git(["rev-list", "-n", "1", commit, `^refs/heads/${target}`])) !== "";
}

async function keep(repository: Repository, task_id: string, commit: string): Promise<void> {
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

/** Work of earlier attempts that was not merged. */
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

/** Where branches are, those that there are. */
async function commitsOf(git: Git, branches: readonly string[]): Promise<Map<string, string>> {
  const names = branches.map((branch) => `refs/heads/${branch}`);
  const listed = await git(["for-each-ref", "--format=%(objectname) %(refname)", ...names]);
  const rows = listed.split("\n").map((line) => {
    const [commit = "", name = ""] = line.split(" ");
    return [name.replace(/^refs\/heads\//, ""), commit] as const;
  });
  return new Map(rows.filter(([branch]) => branches.includes(branch)));
}

async function commitOf(git: Git, name: string): Promise<string | null> {
  return git(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]).catch(() => null);
}
