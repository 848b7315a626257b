import { rm } from "node:fs/promises";
import { join } from "node:path";
import { agentName } from "../agents/index.ts";
import type { AgentUsage } from "../agents/index.ts";
import type { CodeTask } from "./attempt-context.ts";
import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";
import { AttemptFailed } from "./worker-errors.ts";
import { archiveWorktree, keepCommit, worktreesOf } from "./worktree.ts";
import type { Worktree } from "./worktree.ts";

/**
 * Opens the worktree that the previous attempt left, with its work; null if it is not in this repository. After a failure, the
 * work is moved onto the target: what conflicts there is marked in the files.
 */
export async function continueWorktree(repository: Repository, task: CodeTask): Promise<Worktree | null> {
  const { id, data } = task;
  const { branch, worktree: path, continues } = data;
  if (branch === null || path === null) return null;
  let found = false;
  for (const left of await worktreesOf(repository, id)) {
    if (left.path === path && left.branch === branch && repository.owns(path)) found = true;
    else await archiveWorktree(repository, left);
  }
  if (!found) return null;
  const git = repository.inside(path);
  await endUnfinishedCommands(git);
  const target = `refs/heads/${repository.target}`;
  const base = await git(["merge-base", target, "HEAD"]);
  const tip = await git(["rev-parse", target]);
  if (continues !== "failure") return { path, branch, base, continued: true };
  if (base === tip) {
    // All attempts together become one commit, with one trailer.
    await git(["reset", "--quiet", "--mixed", base]);
    return { path, branch, base, continued: true };
  }
  await moveOnto(repository, id, git, tip);
  return { path, branch, base: tip, continued: true };
}

/** A killed process leaves its lock file, and a rebase that it has begun. */
async function endUnfinishedCommands(git: Git): Promise<void> {
  const home = await git(["rev-parse", "--path-format=absolute", "--git-dir"]);
  await rm(join(home, "index.lock"), { force: true });
  await git(["rebase", "--abort"]).catch(() => undefined);
}

/** Puts all work, committed or not, onto a commit as uncommitted changes. The commits before it are kept under their own ref. */
async function moveOnto(repository: Repository, task_id: string, git: Git, tip: string): Promise<void> {
  await git(["add", "--all"]);
  const text = `Unfinished work on ${task_id}`;
  await git(["commit", "--quiet", "--no-verify", "--allow-empty", "-m", text]);
  const work = await git(["rev-parse", "HEAD"]);
  await keepCommit(repository, task_id, work);
  await git(["reset", "--quiet", "--hard", tip]);
  await git(["merge", "--squash", "--no-commit", "--quiet", work]).catch(() => undefined);
  // Without entries of a merge in the index, the agent only has to edit the files.
  await git(["reset", "--quiet", "--mixed"]);
}

/** Throws if work that continued an earlier attempt still has the marks of a conflict. */
export async function throwIfConflictsAreLeft(
  repository: Repository,
  { path, base, continued }: Worktree,
): Promise<void> {
  if (continued !== true) return;
  const git = repository.inside(path);
  const diff = await git(["diff", "--no-ext-diff", "--no-textconv", "--unified=0", base, "HEAD"]);
  const files: string[] = [];
  let file = "";
  for (const line of diff.split("\n")) {
    // Git quotes names with special characters.
    const name = /^\+\+\+ (?:"b\/(.*)"|b\/(.*?)\t?)$/.exec(line);
    if (name) file = name[1] ?? name[2] ?? "";
    if (/^\+(<{7}|>{7})( |$)/.test(line) && !files.includes(file)) files.push(file);
  }
  if (files.length > 0)
    throw new AttemptFailed(`The marks of a merge conflict are left in ${files.join(", ")}: resolve it.`);
}

/** Returns the session that the attempt continues; null: it begins a new one. */
export function continuedSession(
  { data }: CodeTask,
  worktree: Worktree,
  agent: string,
): { id: string; reported: AgentUsage } | null {
  const { session, review_request: review } = data;
  const continues = worktree.continued === true || review?.state === "changes";
  if (!continues || session?.agent !== agentName(agent)) return null;
  return { id: session.id, reported: session.reported };
}
