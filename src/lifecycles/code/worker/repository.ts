import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { gitIn, GitFailure } from "./git.ts";
import type { Git } from "./git.ts";
import { pinConfig } from "./pinned-config.ts";
import type { PinnedConfig } from "./pinned-config.ts";
import { ownFolder, privateFolder } from "./private-folder.ts";
import { RepoLock } from "./repo-lock.ts";
import { repositoryName } from "./repository-name.ts";
import { WorkerUnusable } from "./worker-errors.ts";

export type RepositoryOptions = {
  /** A folder inside the repository. */
  path: string;
  /** The branch that work starts from and is merged into; default: the one checked out. */
  target?: string | undefined;
  /** The folder for worktrees and logs; default: next to the repository. */
  folder?: string | undefined;
};

/** A user's repository. Only `catchUp` changes the user's own checkout; other commands only read it. */
export type Repository = {
  /** The folder of the user's checkout, or of the repository itself if it is bare. */
  root: string;
  /** The name by which tasks refer to it. */
  name: string;
  target: string;
  folder: string;
  git: Git;
  /**
   * Returns `git` for one of the repository's worktrees or checkouts, optionally with the user's hooks. The repository is
   * passed explicitly, so that git never reads a `.git` that an agent has put into the worktree.
   */
  inside: (path: string, options?: { hooks?: boolean }) => Git;
  /** Returns whether a folder is still a worktree of this repository: an agent may have replaced it. */
  owns: (path: string) => boolean;
  lock: RepoLock;
};

/** Opens a repository; throws WorkerUnusable with the reason if it cannot be used. */
export async function openRepository({ path, target, folder }: RepositoryOptions): Promise<Repository> {
  const gitAtPath = gitIn({ cwd: resolve(path) });
  const common = await gitAtPath(["rev-parse", "--path-format=absolute", "--git-common-dir"]).catch(
    (error: unknown) => {
      throw new WorkerUnusable(`${resolve(path)} is not a git repository: ${(error as Error).message}`);
    },
  );
  const bare = (await gitAtPath(["rev-parse", "--is-bare-repository"])) === "true";
  const root = bare ? common : await gitAtPath(["rev-parse", "--path-format=absolute", "--show-toplevel"]);
  const git = gitIn({ cwd: common, env: { GIT_DIR: common } });
  const branch =
    target ?? (await gitAtPath(["symbolic-ref", "--quiet", "--short", "HEAD"]).catch(() => null));
  if (branch === null) throw new WorkerUnusable("No branch is checked out: choose one with --target.");
  if (!(await hasBranch(git, branch)))
    throw new WorkerUnusable(describeMissing(branch, target !== undefined));
  const wanted = resolve(folder ?? join(dirname(root), `${basename(root).replace(/\.git$/, "")}.pawl`));
  if (isInside(wanted, root))
    throw new WorkerUnusable(`${wanted} is inside the repository: worktrees must be outside it.`);
  const worktrees = await prepareFolder(wanted);
  const identity = await identityFor(git);
  const config = await pinConfig(common, git);
  const checkout = bare ? null : root;
  return {
    root,
    name: await repositoryName(git, root),
    target: branch,
    folder: worktrees,
    git: pinned(withIdentity(identity, git), common, config),
    inside: (worktree, { hooks = false } = {}) => {
      const gitDir = gitDirOf(common, worktree, checkout);
      if (gitDir === null) return failingGit(worktree);
      const env = { ...identity, GIT_DIR: gitDir, GIT_COMMON_DIR: common, GIT_WORK_TREE: worktree };
      const hooksPath = hooks ? config.hooksPath : null;
      return pinned(gitIn({ cwd: worktree, env, hooksPath }), gitDir, config);
    },
    owns: (worktree) => isIntact(worktree, gitDirOf(common, worktree, checkout)),
    lock: new RepoLock(join(common, "pawl-merge.lock")),
  };
}

/** Prepares the folder for worktrees, logs and the files of agents; other users can neither read nor replace it. */
async function prepareFolder(wanted: string): Promise<string> {
  try {
    const folder = await ownFolder(wanted);
    for (const name of ["worktrees", "logs"]) await privateFolder(join(folder, name));
    return folder;
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, "");
    throw new WorkerUnusable(
      `Worktrees cannot be kept in ${wanted}: ${why}. Choose another folder with --worktrees.`,
    );
  }
}

/** Before each call, restores those settings of the repository that name a program to run. */
function pinned(git: Git, gitDir: string, config: PinnedConfig): Git {
  return async (args, options = {}) =>
    git(args, { ...options, env: { ...(await config.environment(gitDir, git)), ...options.env } });
}

/** Rejects every call, for a folder that is not a worktree of the repository. */
function failingGit(path: string): Git {
  return (args) => Promise.reject(new GitFailure(args, null, `${path} is not a worktree of this repository`));
}

/** Finds the repository's record of a worktree; reads nothing in the worktree itself. */
function gitDirOf(common: string, path: string, checkout: string | null): string | null {
  if (path === checkout) return common;
  const records = join(common, "worktrees");
  const names = [basename(path), ...namesIn(records).filter((name) => name !== basename(path))];
  const found = names.find((name) => {
    const link = textOf(join(records, name, "gitdir"));
    return link !== null && resolve(records, name, link) === join(path, ".git");
  });
  return found === undefined ? null : join(records, found);
}

/** Returns whether a folder is still the worktree that was created there: a real folder whose link points to its record. */
function isIntact(path: string, gitDir: string | null): boolean {
  const link = /^gitdir: (.*)$/.exec(textOf(join(path, ".git")) ?? "")?.[1];
  if (gitDir === null || link === undefined) return false;
  try {
    return lstatSync(path).isDirectory() && realpathSync(resolve(path, link)) === realpathSync(gitDir);
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8").replace(/\n$/, "");
  } catch {
    return null;
  }
}

async function hasBranch(git: Git, branch: string): Promise<boolean> {
  return git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`]).then(
    () => true,
    () => false,
  );
}

function describeMissing(branch: string, chosen: boolean): string {
  return chosen ? `There is no branch ${branch}.` : `${branch} has no commit yet: create the first one.`;
}

function isInside(folder: string, root: string): boolean {
  const path = relative(root, folder);
  return path === "" || (!path.startsWith("..") && !isAbsolute(path));
}

function withIdentity(identity: Record<string, string>, git: Git): Git {
  return (args, options = {}) => git(args, { ...options, env: { ...identity, ...options.env } });
}

/** Returns an identity for commits if the user has not configured one. */
async function identityFor(git: Git): Promise<Record<string, string>> {
  const known = await git(["var", "GIT_COMMITTER_IDENT"]).then(
    () => true,
    () => false,
  );
  if (known) return {};
  const [name, email] = ["Pawl", "pawl@localhost"];
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}
