import { stripVTControlCharacters } from "node:util";
import { moveTarget, readTarget } from "./user-checkouts.ts";
import { GitFailure } from "./git.ts";
import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";
import { AttemptFailed } from "./worker-errors.ts";
import type { Worktree } from "./worktree.ts";

/** Names the task in its last commit, for people. Nothing depends on it, because anyone can write it. */
const TRAILER = "Pawl-Task";

const MAX_CONFLICT_LENGTH = 6_000;
/** Rounds in which `verify` runs without the lock. */
const MAX_UNLOCKED_ROUNDS = 3;
const MAX_ROUNDS = 20;

export type WorkOfTask = { id: string; title: string; may_be_empty: boolean };

/** Returns the newest of a task's recorded commits that the target contains; null if its work is not merged. */
export async function findMerged(
  { git, target }: Repository,
  candidates: readonly string[],
): Promise<string | null> {
  for (const commit of candidates.toReversed()) {
    // 1: not an ancestor; 128: no such commit here, for example if its worker died before it moved the branch.
    const merged = await git(["merge-base", "--is-ancestor", commit, `refs/heads/${target}`]).then(
      () => true,
      (error: unknown) => {
        if (error instanceof GitFailure && [1, 128].includes(error.exitCode ?? -1)) return false;
        throw error;
      },
    );
    if (merged) return commit;
  }
  return null;
}

/** Commits uncommitted changes, with the repository's hooks; returns false if the work changes nothing. */
export async function commitWork(
  { inside, owns }: Repository,
  { path, base }: Worktree,
  task: WorkOfTask,
  { hooks, signal }: { hooks: boolean; signal: AbortSignal },
): Promise<boolean> {
  if (!owns(path)) throw worktreeGone();
  const git = inside(path);
  const trailer = `${TRAILER}: ${task.id}`;
  const committing: Git = (args) => inside(path, { hooks })(args, { signal });
  const committed = (await isDirty(git)) && (await commitAll(git, committing, subjectOf(task), trailer));
  const [mine, before] = (await git(["rev-parse", "HEAD^{tree}", `${base}^{tree}`])).split("\n");
  if (mine === before) return false;
  if (!committed) await addTrailer(git, trailer);
  return true;
}

/** Returns false if there is nothing to commit, for example if only files inside a submodule changed. */
async function commitAll(git: Git, committing: Git, subject: string, trailer: string): Promise<boolean> {
  await git(["add", "--all"]);
  try {
    await committing(["commit", "--quiet", "-m", subject, "-m", trailer]);
    return true;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (await quiet(git, ["diff", "--no-ext-diff", "--cached", "--quiet"])) return false;
    throw new AttemptFailed(`The work could not be committed.\n${error.output}`.trim());
  }
}

/** Adds the trailer to the last commit of an agent that has committed by itself. */
async function addTrailer(git: Git, trailer: string): Promise<void> {
  const message = await git(["log", "-n", "1", "--format=%B"]);
  if (message.split("\n").includes(trailer)) return;
  // Not with `git interpret-trailers`, which runs commands from its settings.
  const text = message.trimEnd();
  const trailers = /\n\n([\w-]+: .*(\n[\w-]+: .*)*)$/.test(text);
  await git(["commit", "--quiet", "--amend", "--no-verify", "--cleanup=verbatim", "-F", "-"], {
    input: `${text}${trailers ? "\n" : "\n\n"}${trailer}\n`,
  });
}

/** Returns whether anything is uncommitted. Throws for an unfinished merge or a nested repository. */
async function isDirty(git: Git): Promise<boolean> {
  const status = await git(["status", "--porcelain=v2", "--no-renames", "--untracked-files=all"]);
  if (/^u /m.test(status))
    throw new AttemptFailed("The agent left a merge with conflicts: resolve them or abort the merge.");
  // Git lists the files of untracked folders; a line for the folder itself means a nested repository.
  const foreign = /^\? (.*)\/$/m.exec(status)?.[1];
  if (foreign !== undefined)
    throw new AttemptFailed(
      `The agent left a git repository in ${foreign}: its files would not be merged. Remove its .git, or make it a submodule.`,
    );
  return status !== "";
}

/** How work becomes part of the target: its commits, one commit, or its commits and a merge commit. */
export type MergeStrategy = "rebase" | "squash" | "merge";

export type Merging = {
  /** Commits of the task that were recorded earlier. */
  recorded: readonly string[];
  /** Called with the commit just before the branch moves to it; throws if the lease is lost. */
  record: (commit: string) => Promise<void>;
  /** Checks the replayed work in the worktree; throws if the check fails. */
  verify: (() => Promise<void>) | null;
  strategy: MergeStrategy;
  signal: AbortSignal;
};

/**
 * Merges the work into the target: replays it onto the target's tip, verifies the result, and moves the branch by
 * compare-and-swap. If others merge while `verify` runs, the work is replayed and verified again. After a few such rounds it is
 * verified under the lock, so that a slow check also finishes on a busy repository. Returns the merged commit, which is one of
 * `recorded` if another worker has merged that meanwhile.
 */
export async function mergeWork(
  repository: Repository,
  worktree: Worktree,
  task: WorkOfTask,
  { recorded, record, verify, strategy, signal }: Merging,
): Promise<string> {
  const { lock, target } = repository;
  const candidates = [...recorded];
  let ready: { tip: string; commit: string } | null = null;
  const prepare = async (tip: string) => {
    const checked: string | null = ready?.commit ?? null;
    const commit = await replayAndVerify(repository, worktree, task, { tip, strategy, checked, verify });
    return { tip, commit };
  };
  for (let round = 1; ; round++) {
    const unlocked = verify !== null && round <= MAX_UNLOCKED_ROUNDS;
    if (unlocked) {
      const merged = await findMerged(repository, candidates);
      if (merged !== null) return merged;
      ready = await prepare((await readTarget(repository)).tip);
    }
    const merged = await lock.hold(async () => {
      const { tip, marks } = await readTarget(repository);
      const alreadyMerged = await findMerged(repository, candidates);
      if (alreadyMerged !== null) return alreadyMerged;
      if (ready?.tip !== tip && unlocked) return null;
      if (ready?.tip !== tip) ready = await prepare(tip);
      const { commit } = ready;
      signal.throwIfAborted();
      await record(commit);
      candidates.push(commit);
      const why = `pawl: ${subjectOf(task)}`;
      return moveTarget(repository, { commit, tip, marks, why }).then(
        () => commit,
        (error: unknown) => {
          if (round < MAX_ROUNDS) return null;
          throw new AttemptFailed(
            `${target} could not be moved in ${round} rounds: ${(error as Error).message}`,
          );
        },
      );
    }, signal);
    if (merged !== null) return merged;
  }
}

/** Replays the work onto a commit of the target and verifies it there; returns the resulting commit. */
export async function replayAndVerify(
  repository: Repository,
  worktree: Worktree,
  task: WorkOfTask,
  {
    tip,
    strategy,
    checked = null,
    verify,
  }: Pick<Merging, "verify" | "strategy"> & {
    tip: string;
    /** A commit that has passed already. */
    checked?: string | null;
  },
): Promise<string> {
  if (verify !== null) await discardChanges(repository, worktree);
  const git = repository.inside(worktree.path);
  const replayed = await replay(git, tip);
  if (replayed === tip && !task.may_be_empty) throw nothingNew();
  const commit = await combine(git, task, strategy, { tip, replayed });
  if (verify !== null && commit !== checked) await checkAndRestore(repository, worktree, commit, verify);
  return commit;
}

/** Squashes the replayed commits, or adds a merge commit. The branch moves with them, and the files stay the same. */
async function combine(
  git: Git,
  task: WorkOfTask,
  strategy: MergeStrategy,
  { tip, replayed }: { tip: string; replayed: string },
): Promise<string> {
  if (strategy === "rebase" || replayed === tip) return replayed;
  const subjects = (await git(["log", "--reverse", "--format=%s", `${tip}..${replayed}`])).split("\n");
  if (strategy === "squash" && subjects.length === 1) return replayed;
  const list = subjects.map((subject) => `* ${subject}`).join("\n");
  const [subject, parents] =
    strategy === "squash"
      ? [subjectOf(task), ["-p", tip]]
      : [`Merge ${subjectOf(task)}`, ["-p", tip, "-p", replayed]];
  const input = `${subject}\n\n${list}\n\n${TRAILER}: ${task.id}\n`;
  const commit = await git(["commit-tree", `${replayed}^{tree}`, ...parents, "-F", "-"], { input });
  await git(["reset", "--quiet", "--soft", commit]);
  return commit;
}

/** Runs a check on a commit and then restores the worktree: nothing that the check writes or commits is merged. */
async function checkAndRestore(
  repository: Repository,
  worktree: Worktree,
  commit: string,
  check: () => Promise<void>,
): Promise<void> {
  const branch = await repository
    .inside(worktree.path)(["symbolic-ref", "--quiet", "HEAD"])
    .catch(() => null);
  const restore = async () => {
    if (!repository.owns(worktree.path)) throw worktreeGone();
    const git = repository.inside(worktree.path);
    if (branch === null) await git(["update-ref", "--no-deref", "HEAD", commit]);
    else await git(["symbolic-ref", "HEAD", branch]);
    await discardChanges(repository, worktree, commit);
  };
  try {
    await check();
  } catch (error) {
    await restore().catch(() => undefined);
    throw error;
  }
  await restore();
}

/** Restores tracked files and removes untracked ones. Ignored files stay, such as installed packages and build caches. */
async function discardChanges(
  { inside, owns }: Repository,
  { path }: Worktree,
  commit = "HEAD",
): Promise<void> {
  if (!owns(path)) throw worktreeGone();
  await inside(path)(["reset", "--quiet", "--hard", commit]);
  // A file that cannot be removed is not merged either.
  await inside(path)(["clean", "-ffdq"]).catch(() => undefined);
}

/**
 * Formats a title as one line, so that it adds no trailers, and without the control characters that would reach terminals by
 * `git log`.
 */
export function subjectOf({ id, title }: Pick<WorkOfTask, "id" | "title">): string {
  const line = stripVTControlCharacters(title).replaceAll(/[\s\p{Cc}\p{Bidi_Control}]+/gu, " ");
  return line.trim() || `Task ${id}`;
}

/** Replays the work onto the target's tip; returns the resulting commit. */
async function replay(git: Git, tip: string): Promise<string> {
  const between = await git(["rev-list", "--left-right", "--parents", `${tip}...HEAD`]);
  // No replay is needed if the work contains the tip and has no merge commits.
  if (!/^<|^>\S+ \S+ /m.test(between)) return /^>(\S+)/.exec(between)?.[1] ?? tip;
  try {
    await git(["rebase", "--quiet", "--no-verify", "--force-rebase", tip]);
  } catch (error) {
    throw await conflictOf(git, error);
  }
  return git(["rev-parse", "HEAD"]);
}

async function conflictOf(git: Git, error: unknown): Promise<unknown> {
  const files = await git(["diff", "--no-ext-diff", "--name-only", "--diff-filter=U"]).catch(() => "");
  const text = await git(["diff", "--no-ext-diff", "--no-textconv", "--diff-filter=U"]).catch(() => "");
  await git(["rebase", "--abort"]).catch(() => undefined);
  if (files === "") return error;
  const named = files.split("\n").join(", ");
  const shown = text.length > MAX_CONFLICT_LENGTH ? `${text.slice(0, MAX_CONFLICT_LENGTH)}\n…` : text;
  return new AttemptFailed(`Merge conflict in ${named}: other work has changed the same lines.\n${shown}`);
}

export function nothingNew(): AttemptFailed {
  return new AttemptFailed("The agent changed nothing: there is nothing to commit.");
}

function worktreeGone(): AttemptFailed {
  return new AttemptFailed("The worktree is gone: the agent removed it together with its work.");
}

/** Runs a git check that answers by its exit code: 0 is yes, 1 is no, others are errors. */
async function quiet(git: Git, args: readonly string[]): Promise<boolean> {
  try {
    await git(args);
    return true;
  } catch (error) {
    if ((error as GitFailure).exitCode === 1) return false;
    throw error;
  }
}
