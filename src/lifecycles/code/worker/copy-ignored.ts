import { constants, existsSync } from "node:fs";
import { copyFile, lstat, readlink, realpath, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { Git } from "./git.ts";
import { isWithin, pathForWriting } from "./path-inside.ts";
import type { Repository } from "./repository.ts";
import { AttemptFailed } from "./worker-errors.ts";

export type CopyReport = {
  copied: string[];
  /** Patterns without a match. */
  unmatched: string[];
};

/**
 * Copies ignored files of the user's checkout, such as `.env`, to a worktree. Git itself expands the patterns: its lists contain
 * nothing outside of the checkout and nothing behind a link. A file that the worktree does not ignore is refused, because it would
 * be committed with the agent's work.
 */
export async function copyIgnored(
  { root, inside }: Repository,
  worktree: string,
  patterns: readonly string[],
): Promise<CopyReport> {
  const report: CopyReport = { copied: [], unmatched: [] };
  if (patterns.length === 0) return report;
  if (!existsSync(join(root, ".git"))) throw wrong(`${root} is a bare repository, without files to copy.`);
  const checkout = inside(root);
  const paths = new Set<string>();
  for (const pattern of patterns) {
    const found = await ignoredFiles(checkout, pattern);
    if (found.length === 0) report.unmatched.push(pattern);
    for (const path of found) paths.add(path);
  }
  const wanted = [...paths].filter((path) => !existsSync(join(worktree, path)));
  const exposed = await notIgnored(inside(worktree), wanted);
  if (exposed !== null)
    throw wrong(`${exposed} is not ignored on the branch of this task, so it would be merged.`);
  for (const path of wanted) await copyEntry(await realpath(root), path, worktree);
  report.copied.push(...wanted);
  return report;
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

async function copyEntry(root: string, path: string, worktree: string): Promise<void> {
  const from = join(root, path);
  const found = await lstat(from);
  if (!isWithin(root, await realpath(dirname(from)))) throw wrong(`${path} is outside of the repository.`);
  const to = await pathForWriting(worktree, path).catch((error: unknown) => {
    throw wrong(`${path} cannot be copied: ${(error as Error).message}.`);
  });
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
