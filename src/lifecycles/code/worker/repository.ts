import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { gitIn } from "./git.ts";
import type { Git } from "./git.ts";
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
  /** The same inside one of its worktrees, by the repository's own hooks where they are wanted. */
  inside: (path: string, options?: { hooks?: boolean }) => Git;
  /** Whether a folder still is a worktree of this repository: an agent may have put anything in its place. */
  owns: (path: string) => boolean;
  lock: RepoLock;
};

/** Opens a repository, or tells in one sentence why it cannot be worked on. */
export async function openRepository({ path, target, folder }: RepositoryOptions): Promise<Repository> {
  const asked = gitIn(resolve(path));
  const common = await asked(["rev-parse", "--path-format=absolute", "--git-common-dir"]).catch(
    (error: unknown) => {
      throw new Trouble(`${resolve(path)} is no git repository: ${(error as Error).message}`);
    },
  );
  const bare = (await asked(["rev-parse", "--is-bare-repository"])) === "true";
  const root = bare ? common : await asked(["rev-parse", "--path-format=absolute", "--show-toplevel"]);
  const git = gitIn(common);
  const branch = target ?? (await asked(["symbolic-ref", "--quiet", "--short", "HEAD"]).catch(() => null));
  if (branch === null)
    throw new Trouble("No branch is checked out there: say by --target which one work is for.");
  if (!(await hasBranch(git, branch))) throw new Trouble(missing(branch, target !== undefined));
  const wanted = resolve(folder ?? join(dirname(root), `${basename(root).replace(/\.git$/, "")}.pawl`));
  if (lies(wanted, root))
    throw new Trouble(`${wanted} lies in the repository: worktrees must lie outside of it.`);
  const place = await folderFor(wanted);
  const identity = await identityFor(git);
  return {
    root,
    target: branch,
    folder: place,
    git: as(identity, git),
    // A worktree that has lost its link must not lead git to a repository that happens to lie around it.
    inside: (worktree, options) =>
      as({ ...identity, GIT_CEILING_DIRECTORIES: dirname(worktree) }, gitIn(worktree, options)),
    owns: (worktree) => linkOf(worktree).startsWith(join(realpathSync(common), "worktrees") + sep),
    lock: new RepoLock(join(common, "pawl-merge.lock")),
  };
}

/** A folder for worktrees, logs and the files of agents, which other users can neither read nor replace. */
async function folderFor(wanted: string): Promise<string> {
  try {
    const place = await ownFolder(wanted);
    for (const name of ["worktrees", "logs"]) await privateFolder(join(place, name));
    return place;
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, "");
    throw new Trouble(`Worktrees cannot be kept in ${wanted}: ${why}. Choose another folder by --worktrees.`);
  }
}

/** Where a worktree says that it belongs; nowhere, if it does not say. */
function linkOf(worktree: string): string {
  try {
    const link = readFileSync(join(worktree, ".git"), "utf8").replace(/^gitdir: (.*)\n?$/, "$1");
    return realpathSync(resolve(worktree, link));
  } catch {
    return "";
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
