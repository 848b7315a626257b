import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { gitIn, GitFailure } from "./git.ts";
import type { Git } from "./git.ts";
import { pinConfig } from "./pinned-config.ts";
import type { PinnedConfig } from "./pinned-config.ts";
import { ownFolder, privateFolder } from "./private-folder.ts";
import { RepoLock } from "./repo-lock.ts";
import { Trouble } from "./setback.ts";

export type RepositoryOptions = {
  /** A folder of the repository. */
  path: string;
  /** The branch that work starts from and is merged into; the one that is checked out unless given. */
  target?: string | undefined;
  /** Where worktrees and logs lie; beside the repository unless given. */
  folder?: string | undefined;
};

/** A user's repository. His own checkout is none of our business: nothing here ever runs in it but to ask. */
export type Repository = {
  /** Its checkout, or the repository itself where it is bare. */
  root: string;
  target: string;
  folder: string;
  git: Git;
  /**
   * The same inside one of its worktrees or checkouts, optionally with the user's hooks. The repository is named explicitly, so
   * that git never reads a `.git` that an agent has put into the worktree.
   */
  inside: (path: string, options?: { hooks?: boolean }) => Git;
  /** Whether a folder still is a worktree of this repository: an agent may have put anything in its place. */
  owns: (path: string) => boolean;
  lock: RepoLock;
};

/** Opens a repository, or tells in one sentence why it cannot be worked on. */
export async function openRepository({ path, target, folder }: RepositoryOptions): Promise<Repository> {
  const asked = gitIn({ cwd: resolve(path) });
  const common = await asked(["rev-parse", "--path-format=absolute", "--git-common-dir"]).catch(
    (error: unknown) => {
      throw new Trouble(`${resolve(path)} is no git repository: ${(error as Error).message}`);
    },
  );
  const bare = (await asked(["rev-parse", "--is-bare-repository"])) === "true";
  const root = bare ? common : await asked(["rev-parse", "--path-format=absolute", "--show-toplevel"]);
  const git = gitIn({ cwd: common, env: { GIT_DIR: common } });
  const branch = target ?? (await asked(["symbolic-ref", "--quiet", "--short", "HEAD"]).catch(() => null));
  if (branch === null)
    throw new Trouble("No branch is checked out there: say by --target which one work is for.");
  if (!(await hasBranch(git, branch))) throw new Trouble(missing(branch, target !== undefined));
  const wanted = resolve(folder ?? join(dirname(root), `${basename(root).replace(/\.git$/, "")}.pawl`));
  if (lies(wanted, root))
    throw new Trouble(`${wanted} is inside the repository: worktrees must be outside of it.`);
  const place = await folderFor(wanted);
  const identity = await identityFor(git);
  const config = await pinConfig(common, git);
  const checkout = bare ? null : root;
  return {
    root,
    target: branch,
    folder: place,
    git: pinned(as(identity, git), common, config),
    inside: (worktree, { hooks = false } = {}) => {
      const gitDir = gitDirOf(common, worktree, checkout);
      if (gitDir === null) return notOurs(worktree);
      const env = { ...identity, GIT_DIR: gitDir, GIT_COMMON_DIR: common, GIT_WORK_TREE: worktree };
      const hooksPath = hooks ? config.hooksPath : null;
      return pinned(gitIn({ cwd: worktree, env, hooksPath }), gitDir, config);
    },
    owns: (worktree) => isIntact(worktree, gitDirOf(common, worktree, checkout)),
    lock: new RepoLock(join(common, "pawl-merge.lock")),
  };
}

/** Prepares a folder for worktrees, logs and the files of agents, which other users can neither read nor replace. */
async function folderFor(wanted: string): Promise<string> {
  try {
    const place = await ownFolder(wanted);
    for (const name of ["worktrees", "logs"]) await privateFolder(join(place, name));
    return place;
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, "");
    throw new Trouble(
      `Worktrees cannot be kept in ${wanted}: ${why}. Choose another folder with --worktrees.`,
    );
  }
}

/** Restores settings that run programs before each call. */
function pinned(git: Git, gitDir: string, config: PinnedConfig): Git {
  return async (args, options = {}) =>
    git(args, { ...options, env: { ...(await config.environment(gitDir, git)), ...options.env } });
}

function notOurs(path: string): Git {
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

function missing(branch: string, named: boolean): string {
  return named ? `There is no branch ${branch}.` : `${branch} has no commit yet: make a first one.`;
}

function lies(place: string, root: string): boolean {
  const way = relative(root, place);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

function as(identity: Record<string, string>, git: Git): Git {
  return (args, options = {}) => git(args, { ...options, env: { ...identity, ...options.env } });
}

/** Who has told git no name commits in Pawl's. */
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
