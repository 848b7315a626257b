import { PawlProblem } from "../../../client/index.ts";
import { retryUntilAnswered } from "../../../worker/index.ts";
import type { Work } from "../../../worker/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { code } from "../lifecycle.ts";
import { attemptTask, isLeaseLost } from "./attempt.ts";
import type { CodeTask, Phase, ReviewedResult } from "./attempt-context.ts";
import type { Obstacle } from "./attempt.ts";
import { cleanUpLeftovers } from "./clean-up-command.ts";
import type { CodeWorkerOptions } from "./code-worker-options.ts";
import { isDiskFull } from "./git.ts";
import { findMerged } from "./merge-work.ts";
import { OutputUploader } from "./output-uploader.ts";
import { AttemptFailed, WorkerUnusable } from "./worker-errors.ts";
import {
  isApproved,
  publishProblem,
  needsReview,
  openWorktree,
  requestReview,
  uploadDiff,
} from "./review-work.ts";
import { pushMerged } from "./publish.ts";
import { WorkMissing } from "./reopen-worktree.ts";
import { SetupFailed } from "./set-up-worktree.ts";
import type { SetupFailures } from "./set-up-worktree.ts";
import { readNotes } from "./task-notes.ts";
import { UsageRecorder } from "./usage-recorder.ts";
import { addWorktree, archiveWorktree, removeMerged } from "./worktree.ts";
import type { Worktree } from "./worktree.ts";

type Code = typeof code;

const MAX_TOKEN_SECONDS = 604_800;

/** Runs attempts under one lease until the task is completed, failed or blocked. */
export async function workOnTask(
  options: CodeWorkerOptions & { setupFailures: SetupFailures },
  task: CodeTask,
  work: Work<Code>,
): Promise<void> {
  const { repository, rules, setupFailures } = options;
  await cleanUpLeftovers(rules.setup, repository, task);
  const merged = await findMerged(repository, task.data.merge_candidates ?? []);
  for (;;) {
    reportPhase(options, work, "preparing", null);
    const token = agentToken(options, work);
    const opened = merged === null ? openWorktree(options, work.task()) : addWorktree(repository, task.id);
    const worktree = await opened.catch(throwUnusable);
    const { event } = await work
      .act("start", { payload: { worktree: worktree.path, branch: worktree.branch } })
      .catch(async (error: unknown) => {
        // Without budget, the task waits for a person: work that it continues stays where it is.
        if (isSpent(error) && worktree.continued !== true)
          await archiveWorktree(repository, worktree).catch(() => undefined);
        throw error;
      });
    try {
      if (merged !== null) {
        // The worker that merged it died before it could complete the task.
        await complete(options, work, worktree, merged);
        return;
      }
      const run = event?.row_version ?? 0;
      const ended = await runAttempt(options, work, { worktree, run, token: await token });
      setupFailures.reset();
      if (ended) return;
    } catch (error) {
      // After a lost lease, the next worker of the task archives the worktree.
      if (work.signal.aborted && !isLeaseLost(work.signal))
        await archiveWorktree(repository, worktree).catch(() => undefined);
      if (work.signal.aborted) throw work.signal.reason;
      if (isDiskFull(error)) return throwUnusable(error);
      if (!(error instanceof AttemptFailed)) throw error;
      setupFailures.count(error);
      // The approval of the work stays valid.
      if (error instanceof SetupFailed && isApproved(work.task())) throw error;
      if (!(await retryOrFail(options, work, worktree, error))) return;
    }
  }
}

/** Requests the agent's token while the worktree is created. It expires shortly after the timeouts of set-up and agent. */
function agentToken(
  { client, rules }: CodeWorkerOptions,
  { task, leaseToken, signal }: Work<Code>,
): Promise<string> {
  const maxMs = rules.timeoutMs + (rules.setup?.timeoutMs ?? 0);
  const lasts_seconds = Math.min(MAX_TOKEN_SECONDS, Math.ceil(maxMs / 1_000) + 60);
  const request = { id: task().id, lease_token: leaseToken, lasts_seconds };
  const calls = client.calls(CODE_ROUTES);
  const issued = retryUntilAnswered(() => calls.makeAgentToken(request, { signal }), signal).then(
    ({ token }) => token,
  );
  // Awaited later, or not at all.
  issued.catch(() => undefined);
  return issued;
}

/** Runs one attempt; returns true if the task is completed or blocked. */
async function runAttempt(
  options: CodeWorkerOptions,
  work: Work<Code>,
  { worktree, run, token }: { worktree: Worktree; run: number; token: string },
): Promise<boolean> {
  const { client, repository, rules, onEvent } = options;
  const calls = client.calls(CODE_ROUTES);
  const { id } = work.task();
  const { leaseToken: lease_token, signal } = work;
  let shownUsd = 0;
  const usage = new UsageRecorder(run, async (payload) => {
    await work.act("record_usage", { payload });
  });
  const output = new OutputUploader(
    (text) => calls.appendCodeOutput({ id, lease_token, run, text }),
    (line) => onEvent?.({ kind: "output", task: work.task(), line, tool: usage.tool }),
    () => {
      const usd = (usage.costUsd ?? 0) - shownUsd;
      if (usd > 0) onEvent?.({ kind: "cost", task: work.task(), usd });
      shownUsd += Math.max(0, usd);
    },
  );
  try {
    const result = await attemptTask({
      ...{ repository, rules, worktree, run, token, signal, output, usage },
      task: work.task(),
      onPhase: (phase) => {
        reportPhase(options, work, phase, worktree.path);
      },
      readTask: async () =>
        (await retryUntilAnswered(() => client.getTask({ id }, { signal }), signal)) as CodeTask,
      readNotes: () => readNotes(client, id, signal),
      needsReview: () => needsReview(client, work.task(), signal),
      uploadDiff: (changes) => uploadDiff(options, work, changes),
      recordMerge: async (commit) => {
        await work.act("record_merge", { payload: { commit } });
      },
    });
    await output.end();
    if ("commit" in result) await complete(options, work, worktree, result.commit);
    else if ("review" in result) await passToReview(options, work, worktree, result.review);
    else await block(options, work, worktree, result.obstacle);
    return true;
  } finally {
    await output.end();
  }
}

async function passToReview(
  options: CodeWorkerOptions,
  work: Work<Code>,
  worktree: Worktree,
  result: ReviewedResult,
): Promise<void> {
  await requestReview(options, work, worktree, result);
  const task = work.task();
  const { pull_request = null } = task.data.review_request ?? {};
  options.onEvent?.({ kind: "review_requested", task, pull_request });
}

/** Pushes merged work. The merge is kept if this fails; the next merge pushes it as well. */
async function pushCompleted(
  { repository, remote, onEvent }: CodeWorkerOptions,
  task: CodeTask,
  commit: string,
): Promise<void> {
  if (!remote) return;
  const branch = task.data.review_request?.branch ?? null;
  await pushMerged(repository, remote, { branch, commit }).catch((error: unknown) => {
    onEvent?.({ kind: "push_failed", error: new Error(publishProblem(remote, error)) });
  });
}

async function complete(
  options: CodeWorkerOptions,
  { act, task }: Work<Code>,
  worktree: Worktree,
  commit: string,
): Promise<void> {
  const { repository, onEvent } = options;
  onEvent?.({ kind: "merged", task: task(), commit });
  // Merged work does not need its worktree, even if `complete` is refused.
  const removed = removeMerged(repository, worktree, commit).catch(() => undefined);
  try {
    await act("complete", { payload: { commit } });
  } finally {
    await removed;
    await pushCompleted(options, task(), commit);
  }
}

async function block(
  { repository }: CodeWorkerOptions,
  { act, task }: Work<Code>,
  worktree: Worktree,
  obstacle: Obstacle,
): Promise<void> {
  try {
    await act("block", { payload: obstacle });
  } catch (error) {
    if (!(error instanceof PawlProblem) || error.code === "LEASE_LOST") throw error;
    throw new AttemptFailed(`The agent named an invalid blocker: ${error.detail}`);
  }
  // The agent that asked a person continues here.
  if (task().data.continues === "answer") return;
  await archiveWorktree(repository, worktree).catch(() => undefined);
}

/** Reports a failed attempt; returns true if another attempt follows under the same lease. */
async function retryOrFail(
  { repository, onEvent }: CodeWorkerOptions,
  { act, task }: Work<Code>,
  worktree: Worktree,
  { message, retryable, exitCode: exit_code }: AttemptFailed,
): Promise<boolean> {
  const { attempt, data } = task();
  if (!retryable || attempt >= data.max_attempts) {
    await act("fail", { payload: { error: message, recoverable: retryable, exit_code } });
    return false;
  }
  const { task: again } = await act("retry", { payload: { error: message, exit_code } });
  onEvent?.({ kind: "retried", task: again, error: message });
  if (again.data.continues === "failure") return true;
  await archiveWorktree(repository, worktree).catch(() => undefined);
  return true;
}

function reportPhase(
  { onEvent }: CodeWorkerOptions,
  { task }: Work<Code>,
  phase: Phase,
  worktree: string | null,
): void {
  onEvent?.({ kind: "phase", task: task(), phase, worktree });
}

function isSpent(error: unknown): boolean {
  return error instanceof PawlProblem && error.code === "BUDGET_SPENT";
}

/** Stops the worker if no worktree can be created: every task would fail here. */
function throwUnusable(error: unknown): never {
  if (error instanceof WorkMissing) throw error;
  if (isDiskFull(error))
    throw new WorkerUnusable(
      "The disk is full: free some space, or choose another folder with --worktrees, and start again.",
      {
        cause: error,
      },
    );
  throw new WorkerUnusable(`No worktree can be created: ${(error as Error).message}`, { cause: error });
}
