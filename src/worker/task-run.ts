import { randomUUID } from "node:crypto";
import type { CallOptions, MovedOf, SomeLifecycle, TaskOf } from "../client/index.ts";
import { PawlProblem } from "../client/index.ts";
import { followSignals } from "../std/follow-signals.ts";
import { sleep } from "../std/retry.ts";
import { timerDelay } from "../std/timer-delay.ts";
import { classify } from "./failure.ts";
import type { LeaseRenewer, Loss } from "./lease-renewer.ts";
import type { MoveSender, SentMove } from "./move-sender.ts";
import { retryUntilAnswered, isLeaseLost } from "./retry-call.ts";
import { progressReporter } from "./progress-reporter.ts";
import { RunEnded } from "./worker-options.ts";
import type { ClaimedTask, Move, WorkerEvent, WorkerOptions } from "./worker-options.ts";

export type RunContext<L extends SomeLifecycle, Progress> = {
  moves: MoveSender;
  renewer: LeaseRenewer;
  options: WorkerOptions<L, Progress>;
  emit: (event: WorkerEvent<L>) => void;
  /** The server has answered. */
  reached: () => void;
  /** Aborts when the worker no longer waits for anything. */
  end: AbortSignal;
};

const ABORT_GRACE_MS = 5_000;
const PROGRESS_INTERVAL_MS = 2_000;

/** A claimed task, until it is reported, given back or lost. */
export class TaskRun<L extends SomeLifecycle, Progress> {
  private readonly context: RunContext<L, Progress>;
  private readonly claimed: ClaimedTask<L>;
  private readonly ending = new AbortController();
  /** The task as of the server's last reply. */
  private task: TaskOf<L>;
  /** The server has reported that the lease has ended: nothing more may be sent. */
  private leaseTaken = false;
  /** Moves that were sent before the run was aborted, and not answered. */
  private readonly unanswered: SentMove[] = [];

  constructor(tools: RunContext<L, Progress>, claimed: ClaimedTask<L>) {
    this.context = tools;
    this.claimed = claimed;
    this.task = withoutLease<L>(claimed);
    this.holdLease();
  }

  /** Runs the task and reports the result; never rejects. */
  async execute(): Promise<void> {
    const { options, emit } = this.context;
    emit({ kind: "started", task: this.task });
    const overtime =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            this.abort("time", `It took longer than ${(options.timeoutMs ?? 0) / 1_000} s.`);
          }, timerDelay(options.timeoutMs));
    const outcome = await this.outcome();
    clearTimeout(overtime);
    await this.conclude(outcome).catch((error: unknown) => {
      this.emitFailure(error);
    });
    this.release();
  }

  /** Gives the task back, before or after it has run. */
  async giveBack(): Promise<void> {
    const { options, emit } = this.context;
    const moves = options.release?.(this.task) ?? [{ action: "release" } as Move<L>];
    try {
      if (this.leaseTaken) throw leaseEnded();
      for (const move of moves) await this.report(move);
      if (moves.length > 0) emit({ kind: "released", task: this.task });
    } catch (error) {
      this.emitFailure(error);
    }
    this.release();
  }

  /** Aborts the run because the worker stops. */
  interrupt(): void {
    this.abort("stop", "The worker stops.");
  }

  private async outcome(): Promise<{ move: Move<L> | undefined } | { error: unknown }> {
    const { options, end } = this.context;
    const progress = progressReporter(
      options.progressIntervalMs ?? PROGRESS_INTERVAL_MS,
      async (value: Progress) => options.sendProgress?.(value, this.task, this.claimed.lease_token ?? ""),
    );
    const abortTimeout = this.rejectAfterAbort(options.abortGraceMs ?? ABORT_GRACE_MS, end);
    try {
      const running = options.run(this.claimed, {
        signal: this.ending.signal,
        leaseToken: this.claimed.lease_token ?? "",
        task: () => this.task,
        act: (action, fields = {} as never, call) => this.act({ action, ...fields }, call),
        progress: progress.report,
      });
      return { move: await Promise.race([running, abortTimeout.late]) };
    } catch (error) {
      return { error };
    } finally {
      abortTimeout.cancel();
      progress.stop();
    }
  }

  /** Rejects if the run has not ended `ms` after its signal was aborted. */
  private rejectAfterAbort(ms: number, end: AbortSignal) {
    const { signal } = this.ending;
    const waiting = followSignals([end]);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener(
        "abort",
        () => {
          const giveUp = () => {
            reject(new AbortIgnored(signal.reason as RunEnded));
          };
          sleep(ms, waiting.signal).then(giveUp, giveUp);
        },
        { once: true },
      );
    });
    late.catch(() => undefined);
    return {
      late,
      cancel: () => {
        waiting.abort();
        waiting.release();
      },
    };
  }

  private async conclude(outcome: { move: Move<L> | undefined } | { error: unknown }): Promise<void> {
    const { emit } = this.context;
    if (this.leaseTaken) throw leaseEnded();
    if (!this.endedBy("lease")) await this.settleUnanswered();
    if ("move" in outcome) {
      const moved = outcome.move === undefined ? null : await this.reportOrFail(outcome.move);
      if (moved !== "failed") emit({ kind: "finished", task: this.task, moved });
      return;
    }
    if (this.endedBy("lease")) throw this.ending.signal.reason;
    if (this.endedBy("time")) await this.fail(this.ending.signal.reason);
    else if (!this.endedBy("stop")) await this.fail(outcome.error);
    // The run may still be working, so the task must not go to another worker before its lease expires.
    else if (outcome.error instanceof AbortIgnored) throw outcome.error;
    else await this.giveBack();
  }

  /**
   * Repeats unanswered moves with their keys, so that each takes effect once. The next report depends on the status that
   * they lead to: a report from another status would be refused.
   */
  private async settleUnanswered(): Promise<void> {
    for (const sent of this.unanswered.splice(0))
      await this.send(sent, this.context.end).catch((error: unknown) => {
        if (!(error instanceof PawlProblem)) throw error;
      });
  }

  /** A result that the rules refuse is a failure like any other. */
  private async reportOrFail(move: Move<L>): Promise<MovedOf<L> | "failed"> {
    try {
      return await this.report(move);
    } catch (error) {
      // Refused because another worker has the task, whatever the code is.
      if (this.endedBy("lease") || !(error instanceof PawlProblem)) throw error;
      await this.fail(error);
      return "failed";
    }
  }

  private async fail(error: unknown): Promise<void> {
    const { options, emit } = this.context;
    const failure = (options.classify ?? classify)(error);
    const moves = options.failed(failure, this.task) ?? [];
    for (const move of "action" in moves ? [moves] : moves) await this.report(move);
    emit({ kind: "failed", task: this.task, failure });
  }

  /** Performs an action during the run; stops waiting for the reply when the run is aborted. */
  private async act(move: Move<L>, { signal }: CallOptions = {}): Promise<MovedOf<L>> {
    const waiting = followSignals([this.ending.signal, signal]);
    const sent = this.withKey(move);
    const { aborted } = waiting.signal;
    try {
      return await this.send(sent, waiting.signal);
    } catch (error) {
      const cutOff = !aborted && this.ending.signal.aborted && !(error instanceof PawlProblem);
      if (cutOff) this.unanswered.push(sent);
      throw error;
    } finally {
      waiting.release();
    }
  }

  private report(move: Move<L>): Promise<MovedOf<L>> {
    return this.send(this.withKey(move), this.context.end);
  }

  private withKey(move: Move<L>): SentMove {
    const fields = move as { action: string; client_event_id?: string | null };
    return {
      ...fields,
      id: this.task.id,
      lease_token: this.claimed.lease_token,
      client_event_id: fields.client_event_id ?? randomUUID(),
    };
  }

  /** Sends a move until the server answers, always with the same key, so that it takes effect once. */
  private async send(sent: SentMove, waiting: AbortSignal): Promise<MovedOf<L>> {
    const { moves, emit, reached } = this.context;
    const send = async () => {
      if (this.leaseTaken) throw leaseEnded();
      return (await moves.send(sent, waiting)) as MovedOf<L>;
    };
    try {
      const moved = await retryUntilAnswered(send, waiting, (error) => {
        emit({ kind: "unreachable", error });
      });
      reached();
      this.task = moved.task;
      return moved;
    } catch (error) {
      if (isLeaseLost(error)) this.lose("taken");
      throw error;
    }
  }

  private holdLease(): void {
    const { lease_token, lease } = this.claimed;
    if (lease_token === null || lease === null) return;
    const lease_ms = Date.parse(lease.until) - Date.parse(lease.heartbeat_at);
    this.context.renewer.keep({ task_id: this.task.id, lease_token, lease_ms }, (why) => {
      this.lose(why);
    });
  }

  private release(): void {
    const { lease_token } = this.claimed;
    if (lease_token !== null) this.context.renewer.release({ task_id: this.task.id, lease_token });
  }

  private lose(why: Loss): void {
    this.leaseTaken ||= why === "taken";
    this.abort(
      "lease",
      why === "taken" ? LEASE_ENDED_TEXT : "The lease expired: the server was not reachable in time.",
    );
  }

  private endedBy(why: RunEnded["why"]): boolean {
    return this.ending.signal.aborted && (this.ending.signal.reason as RunEnded).why === why;
  }

  private abort(why: RunEnded["why"], message: string): void {
    if (!this.ending.signal.aborted) this.ending.abort(new RunEnded(why, message));
  }

  private emitFailure(error: unknown): void {
    const { emit } = this.context;
    const lost = this.endedBy("lease") || error instanceof RunEnded || error instanceof AbortIgnored;
    if (!lost && error instanceof PawlProblem) emit({ kind: "refused", task: this.task, problem: error });
    else emit({ kind: "lost", task: this.task, why: error instanceof Error ? error.message : String(error) });
  }
}

/** The task for listeners, without the lease token, because they may log it. */
export function withoutLease<L extends SomeLifecycle>(claimed: ClaimedTask<L>): TaskOf<L> {
  const { lease_token: _, lease_until: __, ...task } = claimed;
  return task;
}

const LEASE_ENDED_TEXT = "The lease has ended: another worker may have the task.";

function leaseEnded(): RunEnded {
  return new RunEnded("lease", LEASE_ENDED_TEXT);
}

class AbortIgnored extends Error {
  override readonly name = "Unheeded";
  constructor(reason: RunEnded) {
    super(`${reason.message} The run did not end after it was aborted.`, { cause: reason });
  }
}
