import type { AnyClient } from "../../../client/index.ts";
import { retryUntilAnswered } from "../../../worker/index.ts";
import type { Work } from "../../../worker/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { code } from "../lifecycle.ts";
import type { CodeTask, ReviewedResult } from "./attempt-context.ts";
import { continueWorktree } from "./continue-work.ts";
import { subjectOf } from "./merge-work.ts";
import { openPullRequest, pushBranch } from "./publish.ts";
import type { Remote } from "./publish.ts";
import type { Repository } from "./repository.ts";
import { reopenWorktree } from "./reopen-worktree.ts";
import { addWorktree } from "./worktree.ts";
import type { Worktree } from "./worktree.ts";
import { diffOf } from "./work-diff.ts";

type ReviewContext = { client: AnyClient; repository: Repository; remote?: Remote | null | undefined };

/** Opens the worktree of an attempt: with the reviewed work of the task, with that of an attempt that is continued, or a clean one. */
export async function openWorktree(
  { repository, remote }: Omit<ReviewContext, "client">,
  task: CodeTask,
): Promise<Worktree> {
  const { id } = task;
  const { review_request: review, continues } = task.data;
  // A question during the changes left the worktree with the work on them.
  const left = continues ? await continueWorktree(repository, task) : null;
  if (left !== null) return left;
  if (review?.state !== "approved" && review?.state !== "changes") return addWorktree(repository, id);
  const work = { branch: review.branch, commit: review.commit, exact: review.state === "approved" };
  return reopenWorktree(repository, id, work, remote?.url ?? null);
}

/** Returns whether a person has approved the task's work, so that it only needs to be merged. */
export function isApproved({ data }: CodeTask): boolean {
  return data.review_request?.state === "approved";
}

/** Asks the server whether the work of a task must be reviewed: the rules know the task's option and the project's. */
export async function needsReview(
  client: AnyClient,
  { id }: CodeTask,
  signal: AbortSignal,
): Promise<boolean> {
  const { actions } = await retryUntilAnswered(() => client.explainTask({ id }, { signal }), signal);
  return actions.some(({ action, allowed }) => action === "request_review" && allowed);
}

/** Stores the changes of an attempt on the server. */
export async function uploadDiff(
  { client, repository }: ReviewContext,
  { task, leaseToken: lease_token, signal }: Work<typeof code>,
  { base, commit }: ReviewedResult,
): Promise<void> {
  const diff = await diffOf(repository, base, commit);
  const calls = client.calls(CODE_ROUTES);
  const request = { id: task().id, lease_token, ...diff };
  await retryUntilAnswered(() => calls.saveCodeDiff(request, { signal }), signal);
}

/** Stores the changes, pushes the branch if there is a remote, and requests the review. The worktree stays for the next attempt. */
export async function requestReview(
  context: ReviewContext,
  work: Work<typeof code>,
  { branch }: Worktree,
  result: ReviewedResult,
): Promise<void> {
  await uploadDiff(context, work, result);
  const { commit } = result;
  const { pull_request, problem } = await publish(context, work.task(), { branch, commit });
  const payload = { branch, commit, pull_request };
  await work.act("request_review", { payload, ...(problem === null ? {} : { comment: problem }) });
}

/** Pushes a branch and opens its pull request. A failure is reported with the review: the branch is in the repository. */
async function publish(
  { repository, remote }: ReviewContext,
  { id, title, data }: CodeTask,
  work: { branch: string; commit: string },
): Promise<{ pull_request: string | null; problem: string | null }> {
  if (!remote) return { pull_request: null, problem: null };
  try {
    await pushBranch(repository, remote, work);
    if (!remote.pullRequests) return { pull_request: null, problem: null };
    const parts = [
      data.description,
      data.acceptance && `## Acceptance\n\n${data.acceptance}`,
      `Pawl-Task: ${id}`,
    ];
    const body = parts.filter(Boolean).join("\n\n");
    const request = { branch: work.branch, title: subjectOf({ id, title }), body };
    return { pull_request: await openPullRequest(repository, remote, request), problem: null };
  } catch (error) {
    return { pull_request: null, problem: publishProblem(remote, error) };
  }
}

export function publishProblem({ name }: Remote, error: unknown): string {
  return `Publishing to ${name} failed: ${(error as Error).message.slice(0, 2_000)}`;
}
