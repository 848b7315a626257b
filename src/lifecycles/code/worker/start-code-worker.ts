import type { AnyClient } from "../../../client/index.ts";
import { startWorker } from "../../../worker/index.ts";
import type { Failure, Move, RunningWorker } from "../../../worker/index.ts";
import { code } from "../lifecycle.ts";
import type { CodeTask } from "./attempt-context.ts";
import { cleanUp } from "./clean-up.ts";
import { cleanUpAbandoned } from "./clean-up-command.ts";
import type { CodeWorkerEvent, CodeWorkerOptions } from "./code-worker-options.ts";
import { DiskBudget } from "./disk-budget.ts";
import { pushTarget } from "./publish.ts";
import { WorkMissing } from "./reopen-worktree.ts";
import { publishProblem } from "./review-work.ts";
import { SetupFailed, SetupFailures } from "./set-up-worktree.ts";
import { workOnTask } from "./work-on-task.ts";
import { WorkerUnusable } from "./worker-errors.ts";

export type CodeWorker = RunningWorker & {
  /** The reason why it ended by itself; null if it was stopped. */
  readonly failure: () => Error | null;
};

const CLEAN_UP_INTERVAL_MS = 60_000;
/** A person who stops a task does not want to wait for a third of its lease. */
const RENEWAL_INTERVAL_MS = 2_000;
/** Time for interrupted runs to end; the clean-up command has its own time limit in addition. */
const ABORT_GRACE_MS = 5_000;
/** How long a task that this repository lacks the work of, or cannot set up, stays available to other workers only. */
const MISSING_RETRY_SECONDS = 60;

/** Starts a worker that runs coding tasks, each in its own worktree, until it is stopped. */
export function startCodeWorker(options: CodeWorkerOptions): CodeWorker {
  const { client, repository, rules, workers, project_id, graceMs, onEvent } = options;
  let workerFailure: Error | null = null;
  const setupFailures = new SetupFailures();
  let explained: Promise<unknown> = Promise.resolve();
  let background = Promise.resolve();
  /** The tasks whose agents may still be at work here, also after their lease was lost. */
  const running = new Set<string>();
  /** Cleans up after the clean-up before it; no task waits for it, but the end of the worker does. */
  const clean = () => {
    background = background
      .then(() => cleanUpAbandoned(rules.setup, repository, { client, running }))
      .then(() => cleanUp(repository, client))
      .then(ignore, ignore);
    return background;
  };
  const cleaning = setInterval(() => void clean(), CLEAN_UP_INTERVAL_MS);
  const stopWith = (failure: WorkerUnusable) => {
    workerFailure ??= failure;
    void worker.stop(failure.letAgentsFinish ? { graceMs: rules.timeoutMs } : {});
  };
  const budget = budgetOf(options, () => worker.running);
  const worker = startWorker<typeof code>({
    client,
    lifecycle: code,
    concurrency: workers,
    // No prefetching: an agent runs for minutes, and another worker could take the task meanwhile.
    prefetch: 0,
    project_id: project_id ?? "main",
    fields: { repository: [repository.name] },
    renewalIntervalMs: RENEWAL_INTERVAL_MS,
    graceMs,
    abortGraceMs: ABORT_GRACE_MS + (rules.setup?.cleanup ? rules.setup.cleanupTimeoutMs : 0),
    run: async (_, work) => {
      const task = work.task();
      running.add(task.id);
      try {
        await workOnTask({ ...options, setupFailures }, task, work);
      } finally {
        running.delete(task.id);
        if (work.signal.aborted) void clean();
      }
      return undefined;
    },
    failed: (failure, task) => {
      if (!(failure.error instanceof WorkerUnusable)) return failedMoves(failure, task);
      stopWith(failure.error);
      return releaseMoves(task, failure.message);
    },
    release: (task) => releaseMoves(task, "The worker was stopped."),
    beforeClaim: async (signal) => {
      const exceeded = (await budget?.untilFree(signal)) ?? null;
      if (exceeded !== null) stopWith(new WorkerUnusable(exceeded));
    },
    onEvent: (event) => {
      if (event.kind !== "unreachable" && event.kind !== "reached") budget?.changed();
      if (event.kind !== "lost") onEvent?.(event);
      else {
        // At once, and not after the clean-up of other tasks.
        explained = Promise.all([explained, explainLost(client, event).then(onEvent)]);
      }
    },
  });
  const finished = worker.finished.finally(async () => {
    clearInterval(cleaning);
    await explained;
    await clean();
  });
  finished.catch(() => undefined);
  void clean();
  void pushLeftover(options);
  return {
    stop: async (how) => {
      await worker.stop(how);
      await finished.catch(() => undefined);
    },
    finished,
    get running() {
      return worker.running;
    },
    failure: () => workerFailure,
  };
}

/** Names the person's stop as the reason why a task was lost, if it was one. */
async function explainLost(
  client: AnyClient,
  event: Extract<CodeWorkerEvent, { kind: "lost" }>,
): Promise<CodeWorkerEvent> {
  const task = (await client.getTask({ id: event.task.id }).catch(() => null)) as CodeTask | null;
  const isStopped = task !== null && task.lease === null && task.open_holds > 0;
  return isStopped ? { ...event, why: "A person has stopped it." } : event;
}

function ignore(): void {
  // The next clean-up repeats what has failed.
}

function budgetOf(
  { repository, client, diskBudget, onEvent }: CodeWorkerOptions,
  running: () => number,
): DiskBudget | null {
  if (!diskBudget) return null;
  const onExceeded = (message: string) => {
    onEvent?.({ kind: "over_budget", error: new Error(message) });
  };
  return new DiskBudget({ repository, client, budget: diskBudget, running, onExceeded });
}

/** Pushes the target when the worker starts: one that was killed after a merge has not pushed it. */
async function pushLeftover({ repository, remote, onEvent }: CodeWorkerOptions): Promise<void> {
  if (!remote) return;
  await pushTarget(repository, remote).catch((error: unknown) => {
    onEvent?.({ kind: "push_failed", error: new Error(publishProblem(remote, error)) });
  });
}

/** Returns the moves after an unexpected error of the worker or the server. */
function failedMoves({ kind, message, error }: Failure, task: CodeTask): readonly Move<typeof code>[] {
  if (task.status === "claimed" && error instanceof WorkMissing)
    return [{ action: "release", payload: { error: message, retry_after_seconds: MISSING_RETRY_SECONDS } }];
  if (task.status === "claimed") return [{ action: "release" }];
  if (task.status !== "in_progress") return [];
  if (error instanceof SetupFailed)
    return [
      { action: "retry", payload: { error: message, interrupted: true } },
      { action: "release", payload: { error: message, retry_after_seconds: MISSING_RETRY_SECONDS } },
    ];
  const recoverable = kind === "retryable";
  if (!recoverable || task.attempt >= task.data.max_attempts)
    return [{ action: "fail", payload: { error: message, recoverable } }];
  return [{ action: "retry", payload: { error: message } }, { action: "release" }];
}

/** Returns the moves back to ready, without counting an attempt. */
function releaseMoves({ status }: CodeTask, error: string): readonly Move<typeof code>[] {
  if (status === "claimed") return [{ action: "release" }];
  if (status !== "in_progress") return [];
  return [{ action: "retry", payload: { error, interrupted: true } }, { action: "release" }];
}
