import { createHash } from "node:crypto";
import type { Git, GitFailure } from "./git.ts";
import type { Repository } from "./repository.ts";
import { Setback } from "./setback.ts";

/** The user's checkouts of the target: where it moves on under them, a mark says at which commit their files are. */
const MARKS = "refs/pawl/checkouts/";

export type Behind = {
  path: string;
  /** The commit that its files and its index come from. */
  base: string;
};

/** Where the target is, and which of its checkouts are marked as being behind it. */
export async function targetNow({ git, target }: Repository): Promise<{ tip: string; marks: Set<string> }> {
  const branch = `refs/heads/${target}`;
  const listed = await git(["for-each-ref", "--format=%(objectname) %(refname)", branch, MARKS]);
  const rows = listed.split("\n").map((line) => line.split(" ") as [string, string]);
  const tip = rows.find(([, name]) => name === branch)?.[0];
  if (tip === undefined) throw new Error(`There is no branch ${target} any more.`);
  return { tip, marks: new Set(rows.map(([, name]) => name)) };
}

/** Moves the target on, from where it was seen or not at all, and in one go with the marks of checkouts that fall behind. */
export async function moveTarget(
  { git, target }: Repository,
  { commit, tip, marks, why }: { commit: string; tip: string; marks: ReadonlySet<string>; why: string },
): Promise<void> {
  const fallBehind = (await checkoutsOf(git, target)).map(markOf).filter((mark) => !marks.has(mark));
  const input = [
    `update refs/heads/${target} ${commit} ${tip}`,
    ...fallBehind.map((mark) => `create ${mark} ${tip}`),
  ];
  await git(["update-ref", "-m", why, "--stdin"], { input: `${input.join("\n")}\n` });
}

/** The checkouts of the target whose files are those of an earlier commit. */
export async function behindOf(repository: Repository): Promise<Behind[]> {
  const { git, target } = repository;
  const found: Behind[] = [];
  for (const path of await checkoutsOf(git, target)) {
    const base = await baseOf(repository, path);
    if (base !== null) found.push({ path, base });
  }
  return found;
}

/**
 * Brings a checkout's files along to where its branch is, with changes of the user's own kept, or changes nothing at all.
 * Gives the commit that they were at, or null where they are up to date.
 */
export async function catchUp(repository: Repository, path: string): Promise<string | null> {
  const own = repository.inside(path);
  return repository.lock.hold(async () => {
    const base = await baseOf(repository, path);
    if (base === null) return null;
    await own(["update-index", "-q", "--refresh"]).catch(() => undefined);
    await own(["read-tree", "-m", "-u", base, "HEAD"]).catch((error: unknown) => {
      throw overlap(base, (error as GitFailure).said);
    });
    await own(["update-ref", "-d", markOf(path)]);
    return base;
  });
}

/** Where its files are from; a mark of one that has been brought along by hand is taken away. */
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

function overlap(base: string, said: string): Setback {
  return new Setback(
    [
      "Your own changes are in files that the merged work changes as well; nothing was touched.",
      said.trim(),
      `\`git switch -c mine ${base.slice(0, 12)}\` puts you on a branch of your own with all your changes, from where they can be committed and merged.`,
    ].join("\n"),
  );
}

function markOf(path: string): string {
  return `${MARKS}${createHash("sha256").update(path).digest("hex").slice(0, 16)}`;
}
