import { constants, existsSync } from "node:fs";
import { copyFile, lstat, readlink, realpath, rm, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { Git } from "./git.ts";
import { isWithin, pathForWriting } from "./path-inside.ts";
import type { Repository } from "./repository.ts";
import { AttemptFailed } from "./worker-errors.ts";

export type FilesToCopy = {
  files: string[];
  /** Patterns without a match. */
  unmatched: string[];
};

/**
 * Finds the ignored files of the user's checkout that match the patterns, such as `.env`. Git itself expands these: its lists
 * contain nothing outside of the checkout and nothing behind a link. A file that the worktree does not ignore is refused, because
 * it would be committed with the agent's work; one that the branch has itself is left out. `copied` are those of an earlier set-up.
 */
export async function findIgnored(
  { root, inside }: Repository,
  worktree: string,
  patterns: readonly string[],
  copied: readonly string[] = [],
): Promise<FilesToCopy> {
  const found: FilesToCopy = { files: [], unmatched: [] };
  if (patterns.length === 0) return found;
  if (!existsSync(join(root, ".git"))) throw wrong(`${root} is a bare repository, without files to copy.`);
  const paths = new Set<string>();
  for (const pattern of patterns) {
    const matches = await ignoredFiles(inside(root), pattern);
    if (matches.length === 0) found.unmatched.push(pattern);
    for (const path of matches) paths.add(path);
  }
  found.files = [...paths].filter((path) => copied.includes(path) || !existsSync(join(worktree, path)));
  // A copied file that the agent no longer ignores is refused after the attempt, so that the agent can correct it.
  const added = found.files.filter((path) => !copied.includes(path));
  const exposed = await notIgnored(inside(worktree), added);
  if (exposed !== null)
    throw wrong(`${exposed} is not ignored on the branch of this task, so it would be merged.`);
  return found;
}

/** Copies files that `findIgnored` has found, and returns those that were missing; `replace` copies all of them. */
export async function copyIgnored(
  { root }: Repository,
  worktree: string,
  files: readonly string[],
  { replace }: { replace: boolean },
): Promise<string[]> {
  const missing = files.filter((path) => replace || !existsSync(join(worktree, path)));
  for (const path of missing) await copyEntry(await realpath(root), path, worktree, { replace });
  return missing;
}

/** Lists the ignored files that match a pattern; refuses matches that are neither ignored nor tracked. */
async function ignoredFiles(checkout: Git, pattern: string): Promise<string[]> {
  const list = async (...how: string[]) =>
    (
      await checkout([
        "ls-files",
        "-z",
        "--others",
        "--exclude-standard",
        ...how,
        "--",
        `:(glob,top)${pattern}`,
      ])
    )
      .split("\u0000")
      .filter((path) => path !== "");
  const [untracked] = await list();
  if (untracked !== undefined)
    throw wrong(`${untracked} is not ignored by git, so it would be merged. Add it to .gitignore.`);
  return list("--ignored");
}

async function notIgnored(git: Git, paths: readonly string[]): Promise<string | null> {
  if (paths.length === 0) return null;
  const input = paths.map((path) => `${path}\u0000`).join("");
  // Exit code 1: none of them is ignored.
  const listed = await git(["check-ignore", "-z", "--stdin"], { input }).catch(() => "");
  const ignored = new Set(listed.split("\u0000"));
  return paths.find((path) => !ignored.has(path)) ?? null;
}

async function copyEntry(
  root: string,
  path: string,
  worktree: string,
  { replace }: { replace: boolean },
): Promise<void> {
  const from = join(root, path);
  const found = await lstat(from);
  if (!isWithin(root, await realpath(dirname(from)))) throw wrong(`${path} is outside of the repository.`);
  const to = await pathForWriting(worktree, path).catch((error: unknown) => {
    throw wrong(`${path} cannot be copied: ${(error as Error).message}.`);
  });
  if (replace) await rm(to, { recursive: true, force: true });
  if (found.isSymbolicLink()) await copyLink(root, path, to);
  else if (found.isFile()) await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  else throw wrong(`${path} is neither a file nor a link.`);
}

/** Copies a link as a link, if it stays inside of the repository. */
async function copyLink(root: string, path: string, to: string): Promise<void> {
  const from = join(root, path);
  const target = await readlink(from);
  const real = await realpath(from).catch(() => null);
  if (isAbsolute(target) || real === null || !isWithin(root, real))
    throw wrong(`${path} is a link out of the repository.`);
  await symlink(target, to);
}

/** Refuses work that contains files which were copied from the user's checkout, in any of its commits. */
export async function refuseCopied(
  { inside }: Repository,
  { path, base }: { path: string; base: string },
  copied: readonly string[],
): Promise<void> {
  if (copied.length === 0) return;
  const paths = copied.map((one) => `:(literal,top)${one}`);
  const listed = await inside(path)(["log", "--format=", "--name-only", `${base}..HEAD`, "--", ...paths]);
  const [first] = listed.split("\n");
  if (first)
    throw new AttemptFailed(
      `The work contains ${first}, which was copied from the user's checkout and must not be merged: leave it ignored and uncommitted.`,
    );
}

function wrong(what: string): AttemptFailed {
  return new AttemptFailed(`A file of --copy cannot be used: ${what}`);
}
