import { createHash } from "node:crypto";
import type { Git, GitFailure } from "./git.ts";
import type { Repository } from "./repository.ts";
import { AttemptFailed } from "./worker-errors.ts";

/** When the target moves, a ref here records the commit that each user checkout of it still has. */
const MARKS = "refs/pawl/checkouts/";

export type OutdatedCheckout = {
  path: string;
  /** The commit of its files and index. */
  base: string;
};

/** Reads the target's commit, and the marks of outdated checkouts. */
export async function readTarget({ git, target }: Repository): Promise<{ tip: string; marks: Set<string> }> {
  const branch = `refs/heads/${target}`;
  const listed = await git(["for-each-ref", "--format=%(objectname) %(refname)", branch, MARKS]);
  const rows = listed.split("\n").map((line) => line.split(" ") as [string, string]);
  const tip = rows.find(([, name]) => name === branch)?.[0];
  if (tip === undefined) throw new Error(`The branch ${target} no longer exists.`);
  return { tip, marks: new Set(rows.map(([, name]) => name)) };
}

/** Moves the target by compare-and-swap, and marks its checkouts as outdated in the same ref transaction. */
export async function moveTarget(
  { git, target }: Repository,
  { commit, tip, marks, why }: { commit: string; tip: string; marks: ReadonlySet<string>; why: string },
): Promise<void> {
  const newMarks = (await checkoutsOf(git, target)).map(markOf).filter((mark) => !marks.has(mark));
  const input = [
    `update refs/heads/${target} ${commit} ${tip}`,
    ...newMarks.map((mark) => `create ${mark} ${tip}`),
  ];
  await git(["update-ref", "-m", why, "--stdin"], { input: `${input.join("\n")}\n` });
}

/** Finds the checkouts of the target whose files are at an earlier commit. */
export async function outdatedCheckouts(repository: Repository): Promise<OutdatedCheckout[]> {
  const { git, target } = repository;
  const found: OutdatedCheckout[] = [];
  for (const path of await checkoutsOf(git, target)) {
    const base = await baseOf(repository, path);
    if (base !== null) found.push({ path, base });
  }
  return found;
}

/**
 * Updates a checkout's files to its branch and keeps the user's own changes; if they conflict, changes nothing and throws.
 * Returns the commit that the files had, or null if they were up to date.
 */
export async function catchUp(repository: Repository, path: string): Promise<string | null> {
  const own = repository.inside(path);
  return repository.lock.hold(async () => {
    const base = await baseOf(repository, path);
    if (base === null) return null;
    await own(["update-index", "-q", "--refresh"]).catch(() => undefined);
    await own(["read-tree", "-m", "-u", base, "HEAD"]).catch((error: unknown) => {
      throw overlap(base, (error as GitFailure).output);
    });
    await own(["update-ref", "-d", markOf(path)]);
    return base;
  });
}

/** Returns the commit of a checkout's files if it is outdated. Removes the mark of one that the user has updated. */
async function baseOf({ git, inside }: Repository, path: string): Promise<string | null> {
  const base = await git(["rev-parse", "--verify", "--quiet", markOf(path)]).catch(() => null);
  if (base === null) return null;
  const upToDate = await inside(path)(["diff", "--no-ext-diff", "--cached", "--quiet", "HEAD"]).then(
    () => true,
    () => false,
  );
  if (!upToDate) return base;
  await git(["update-ref", "-d", markOf(path)]);
  return null;
}

async function checkoutsOf(git: Git, branch: string): Promise<string[]> {
  const listed = await git(["worktree", "list", "--porcelain"]);
  return listed
    .split("\n\n")
    .filter((entry) => entry.split("\n").includes(`branch refs/heads/${branch}`))
    .map((entry) => entry.replace(/^worktree (.*)\n[\s\S]*$/, "$1"));
}

function overlap(base: string, output: string): AttemptFailed {
  return new AttemptFailed(
    [
      "Your own changes and the merged work change the same files; nothing was touched.",
      output.trim(),
      `\`git switch -c mine ${base.slice(0, 12)}\` creates a branch with all your changes, where you can commit and merge them.`,
    ].join("\n"),
  );
}

function markOf(path: string): string {
  return `${MARKS}${createHash("sha256").update(path).digest("hex").slice(0, 16)}`;
}
