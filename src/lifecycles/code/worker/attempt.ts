import { timerDelay } from "../../../std/timer-delay.ts";
import type { Attempt, ReviewedResult } from "./attempt-context.ts";
import { logFileOf, runShell, throwUnlessSucceeded } from "./attempt-command.ts";
import { cleanUpAfterAttempt } from "./clean-up-command.ts";
import { refuseCopied } from "./copy-ignored.ts";
import { commitWork, mergeWork, nothingNew, replayAndVerify } from "./merge-work.ts";
import type { WorkOfTask } from "./merge-work.ts";
import { throwIfConflictsAreLeft } from "./continue-work.ts";
import { runAgent } from "./run-agent.ts";
import { isApproved } from "./review-work.ts";
import { copiedFiles, refreshSetup, setUpWorktree } from "./set-up-worktree.ts";
import type { SetupPlace } from "./set-up-worktree.ts";
import { readTarget } from "./user-checkouts.ts";
import { AttemptFailed } from "./worker-errors.ts";

export type Obstacle = {
  blocker_id: string | null;
  description: string | null;
  question?: boolean | undefined;
};

export type AttemptResult = { commit: string } | { obstacle: Obstacle } | { review: ReviewedResult };

/** Runs one attempt, from the set-up of its worktree to the merged commit. Throws AttemptFailed if it fails. */
export async function attemptTask(attempt: Attempt): Promise<AttemptResult> {
  const { rules, onPhase, signal } = attempt;
  if (!rules.setup) return workAndMerge(attempt);
  const place = placeOf(attempt);
  onPhase("set-up");
  try {
    await setUpWorktree(rules.setup, place);
    return await workAndMerge(attempt);
  } finally {
    // After a lost lease, the worktree belongs to the next worker of the task, which cleans it up.
    if (!isLeaseLost(signal)) await cleanUpAfterAttempt(rules.setup, place);
  }
}

function placeOf({ repository, worktree, task, run, signal, output }: Attempt): SetupPlace {
  const logFile = logFileOf(repository, task.id, run);
  return { repository, worktree, task_id: task.id, logFile, signal, output };
}

export function isLeaseLost({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as { why?: string } | undefined)?.why === "lease";
}

async function workAndMerge(attempt: Attempt): Promise<AttemptResult> {
  const { repository, rules, task, worktree, onPhase } = attempt;
  const work: WorkOfTask = { id: task.id, title: task.title, may_be_empty: task.data.may_be_empty };
  // Approved work is only merged.
  if (isApproved(task)) {
    onPhase("merging");
    return mergeAttempt(attempt, work);
  }
  onPhase("working");
  const end = await runAgent(attempt);
  const { obstacle } = (await attempt.readTask()).data;
  if (obstacle) return { obstacle };
  throwUnlessSucceeded("The agent", end, rules.timeoutMs, attempt.output.lastLines());
  onPhase("merging");
  const changed = await commitInTime(attempt, work);
  if (!changed && !work.may_be_empty) throw nothingNew();
  if (rules.setup) await refuseCopied(repository, worktree, await copiedFiles(attempt));
  await throwIfConflictsAreLeft(repository, worktree);
  if (!(await attempt.needsReview())) return mergeAttempt(attempt, work);
  const { tip } = await readTarget(repository);
  // The reviewer sees the commits as they are; the strategy applies to the merge.
  const replaying = { tip, strategy: "rebase", verify: verifyOf(attempt) } as const;
  return { review: { base: tip, commit: await replayAndVerify(repository, worktree, work, replaying) } };
}

async function mergeAttempt(attempt: Attempt, work: WorkOfTask): Promise<{ commit: string }> {
  const { repository, rules, task, worktree, signal } = attempt;
  const commit = await repository.inside(worktree.path)(["rev-parse", "HEAD"]);
  // Without a review, the diff is only informative.
  await attempt.uploadDiff({ base: worktree.base, commit }).catch(() => undefined);
  const recorded = task.data.merge_candidates ?? [];
  const strategy = rules.merge ?? task.data.merge_strategy ?? "rebase";
  const merging = { recorded, record: attempt.recordMerge, verify: verifyOf(attempt), strategy, signal };
  return { commit: await mergeWork(repository, worktree, work, merging) };
}

/** Commits the work; hooks get as much time as the agent. */
async function commitInTime(
  { repository, rules, worktree, signal }: Attempt,
  work: WorkOfTask,
): Promise<boolean> {
  const late = AbortSignal.timeout(timerDelay(rules.timeoutMs));
  try {
    const waiting = AbortSignal.any([signal, late]);
    return await commitWork(repository, worktree, work, { hooks: rules.hooks, signal: waiting });
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    throw new AttemptFailed(
      "The work could not be committed: the repository's hooks did not finish in time.",
    );
  }
}

function verifyOf(attempt: Attempt): (() => Promise<void>) | null {
  const { verify } = attempt.rules;
  if (verify === null) return null;
  return async () => {
    attempt.onPhase("verifying");
    await verifyWork(attempt, verify);
    attempt.onPhase("merging");
  };
}

async function verifyWork(attempt: Attempt, command: string): Promise<void> {
  const { rules, worktree } = attempt;
  const place = placeOf(attempt);
  await refreshSetup(rules.setup, place);
  await runShell({ ...place, command, cwd: worktree.path, timeoutMs: rules.timeoutMs });
}
