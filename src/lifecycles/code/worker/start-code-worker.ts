import { PawlProblem } from "../../../client/index.ts";
import type { AnyClient } from "../../../client/index.ts";
import { retryUntilAnswered, startWorker } from "../../../worker/index.ts";
import type { Failure, Move, RunningWorker, Work, WorkerEvent } from "../../../worker/index.ts";
import { CODE_ROUTES } from "../api.ts";
import { code } from "../lifecycle.ts";
import { attemptTask } from "./attempt.ts";
import type { CodeTask, Phase, Rules } from "./attempt.ts";
import { isDiskFull } from "./git.ts";
import { findMerged } from "./merge-work.ts";
import { OutputTeller } from "./output-teller.ts";
import type { Repository } from "./repository.ts";
import { Setback, Trouble } from "./setback.ts";
import { tidyUp } from "./tidy-up.ts";
import { addWorktree, putAway, removeMerged } from "./worktree.ts";
import type { Worktree } from "./worktree.ts";

type Code = typeof code;

/** What a worker does, for those who watch. */
export type CodeWorkerEvent =
  | WorkerEvent<Code>
  | { kind: "phase"; task: CodeTask; phase: Phase; worktree: string | null }
  | { kind: "said"; task: CodeTask; line: string }
  | { kind: "retried"; task: CodeTask; error: string }
  | { kind: "merged"; task: CodeTask; commit: string };

export type CodeWorkerOptions = {
  client: AnyClient;
  repository: Repository;
  rules: Rules;
  /** How many agents at once. */
  workers: number;
  project_id?: string | undefined;
  graceMs?: number | undefined;
  onEvent?: ((event: CodeWorkerEvent) => void) | undefined;
};

export type CodeWorker = RunningWorker & {
  /** What ended it, where that was not somebody's wish. */
  readonly trouble: () => Error | null;
};

const TIDY_EVERY_MS = 60_000;
const LONGEST_TOKEN_SECONDS = 604_800;

/** Works on coding tasks, each in a worktree of its own, until it is stopped. */
export function startCodeWorker(options: CodeWorkerOptions): CodeWorker {
  const { client, repository, workers, project_id, graceMs, onEvent } = options;
  let trouble: Error | null = null;
  const tidy = () => tidyUp(repository, client).catch(() => undefined);
  const tidying = setInterval(() => void tidy(), TIDY_EVERY_MS);
  const worker = startWorker<Code>({
    client,
    lifecycle: code,
    concurrency: workers,
    // An agent works for minutes: what waits for it here could be in other hands.
    ahead: 0,
    project_id: project_id ?? "main",
    graceMs,
    run: async (_, work) => {
      await carryOut(options, work.task(), work);
      return undefined;
    },
    failed: (failure, task) => {
      if (!(failure.error instanceof Trouble)) return failedMoves(failure, task);
      trouble ??= failure.error;
      void worker.stop();
      return givenBack(task, failure.message);
    },
    release: (task) => givenBack(task, "The worker was stopped."),
    onEvent,
  });
  const finished = worker.finished.finally(async () => {
    clearInterval(tidying);
    await tidy();
  });
  finished.catch(() => undefined);
  void tidy();
  return {
    stop: async (how) => {
      await worker.stop(how);
      await finished.catch(() => undefined);
    },
    finished,
    get running() {
      return worker.running;
    },
    trouble: () => trouble,
  };
}

/** Attempt after attempt, under one lease, until the task is completed, failed or blocked. */
async function carryOut(options: CodeWorkerOptions, task: CodeTask, work: Work<Code>): Promise<void> {
  const { repository } = options;
  const merged = await findMerged(repository, task.data.merge_candidates ?? []);
  for (;;) {
    tell(options, work, "preparing", null);
    const token = agentToken(options, work);
    const worktree = await addWorktree(repository, task.id).catch(asTrouble);
    const { event } = await work.act("start", {
      payload: { worktree: worktree.path, branch: worktree.branch },
    });
    try {
      if (merged !== null) {
        // Its worker was gone before it could say so.
        await complete(options, work, worktree, merged);
        return;
      }
      const run = event?.row_version ?? 0;
      if (await tryOnce(options, work, { worktree, run, token: await token })) return;
    } catch (error) {
      // What is lost belongs to whoever takes it up; he puts away what he finds.
      if (work.signal.aborted && !isLost(work.signal))
        await putAway(repository, worktree).catch(() => undefined);
      if (work.signal.aborted) throw work.signal.reason;
      if (isDiskFull(error)) return asTrouble(error);
      if (!(error instanceof Setback)) throw error;
      if (!(await tryAgain(options, work, worktree, error))) return;
    }
  }
}

/** Asked for while the worktree is made; it ends when the agent has no more time, and what is done after it. */
function agentToken(
  { client, rules }: CodeWorkerOptions,
  { task, leaseToken, signal }: Work<Code>,
): Promise<string> {
  const lasts_seconds = Math.min(LONGEST_TOKEN_SECONDS, Math.ceil(rules.timeoutMs / 1_000) + 60);
  const asked = { id: task().id, lease_token: leaseToken, lasts_seconds };
  const calls = client.calls(CODE_ROUTES);
  const made = retryUntilAnswered(() => calls.makeAgentToken(asked, { signal }), signal).then(
    ({ token }) => token,
  );
  // Waited for later, and perhaps not at all.
  made.catch(() => undefined);
  return made;
}

/** True where it is over, one way or the other. */
async function tryOnce(
  options: CodeWorkerOptions,
  work: Work<Code>,
  { worktree, run, token }: { worktree: Worktree; run: number; token: string },
): Promise<boolean> {
  const { client, repository, rules, onEvent } = options;
  const calls = client.calls(CODE_ROUTES);
  const { id } = work.task();
  const { leaseToken: lease_token, signal } = work;
  const output = new OutputTeller(
    (text) => calls.tellCodeOutput({ id, lease_token, run, text }),
    (line) => onEvent?.({ kind: "said", task: work.task(), line }),
  );
  try {
    const came = await attemptTask({
      ...{ repository, rules, worktree, run, token, signal, output },
      task: work.task(),
      onPhase: (phase) => {
        tell(options, work, phase, worktree.path);
      },
      look: async () =>
        (await retryUntilAnswered(() => client.getTask({ id }, { signal }), signal)) as CodeTask,
      recordMerge: async (commit) => {
        await work.act("record_merge", { payload: { commit } });
      },
    });
    await output.end();
    if ("commit" in came) await complete(options, work, worktree, came.commit);
    else await block(options, work, worktree, came.obstacle);
    return true;
  } finally {
    await output.end();
  }
}

async function complete(
  { repository, onEvent }: CodeWorkerOptions,
  { act, task }: Work<Code>,
  worktree: Worktree,
  commit: string,
): Promise<void> {
  onEvent?.({ kind: "merged", task: task(), commit });
  // What is merged needs its worktree no more, whatever is answered.
  const removed = removeMerged(repository, worktree, commit).catch(() => undefined);
  try {
    await act("complete", { payload: { commit } });
  } finally {
    await removed;
  }
}

async function block(
  { repository }: CodeWorkerOptions,
  { act }: Work<Code>,
  worktree: Worktree,
  obstacle: { blocker_id: string | null; description: string | null },
): Promise<void> {
  try {
    await act("block", { payload: obstacle });
  } catch (error) {
    if (!(error instanceof PawlProblem) || error.code === "LEASE_LOST") throw error;
    throw new Setback(`The agent named a blocker that cannot be waited for: ${error.detail}`);
  }
  await putAway(repository, worktree).catch(() => undefined);
}

/** Reports a setback; true where another attempt follows, under the same lease. */
async function tryAgain(
  { repository, onEvent }: CodeWorkerOptions,
  { act, task }: Work<Code>,
  worktree: Worktree,
  { message, retryable, exitCode: exit_code }: Setback,
): Promise<boolean> {
  const { attempt, data } = task();
  if (!retryable || attempt >= data.max_attempts) {
    await act("fail", { payload: { error: message, recoverable: retryable, exit_code } });
    return false;
  }
  const { task: again } = await act("retry", { payload: { error: message, exit_code } });
  onEvent?.({ kind: "retried", task: again, error: message });
  await putAway(repository, worktree).catch(() => undefined);
  return true;
}

function tell(
  { onEvent }: CodeWorkerOptions,
  { task }: Work<Code>,
  phase: Phase,
  worktree: string | null,
): void {
  onEvent?.({ kind: "phase", task: task(), phase, worktree });
}

function isLost({ reason }: AbortSignal): boolean {
  return (reason as { why?: string }).why === "lease";
}

/** What no attempt could have foreseen: a fault of ours, or of the server's. */
function failedMoves({ kind, message }: Failure, task: CodeTask): readonly Move<Code>[] {
  if (task.status === "claimed") return [{ action: "release" }];
  if (task.status !== "in_progress") return [];
  const recoverable = kind === "retryable";
  if (!recoverable || task.attempt >= task.data.max_attempts)
    return [{ action: "fail", payload: { error: message, recoverable } }];
  return [{ action: "retry", payload: { error: message } }, { action: "release" }];
}

/** Back into the pool, no attempt counted. */
function givenBack({ status }: CodeTask, error: string): readonly Move<Code>[] {
  if (status === "claimed") return [{ action: "release" }];
  if (status !== "in_progress") return [];
  return [{ action: "retry", payload: { error, interrupted: true } }, { action: "release" }];
}

/** A worktree that cannot be made is nobody's fault but the place's: no task would fare better here. */
function asTrouble(error: unknown): never {
  if (isDiskFull(error))
    throw new Trouble(
      "The disk is full: free some space, or choose another folder by --worktrees, and start again.",
      {
        cause: error,
      },
    );
  throw new Trouble(`No worktree can be made here: ${(error as Error).message}`, { cause: error });
}
