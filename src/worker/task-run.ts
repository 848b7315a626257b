import { randomUUID } from "node:crypto";
import type { CallOptions, MovedOf, SomeLifecycle, TaskOf } from "../client/index.ts";
import { PawlProblem } from "../client/index.ts";
import { followSignals } from "../std/follow-signals.ts";
import { sleep } from "../std/retry.ts";
import { timerDelay } from "../std/timer-delay.ts";
import { classify } from "./failure.ts";
import type { Heart, Loss } from "./heart.ts";
import type { MoveSender, SentMove } from "./move-sender.ts";
import { retryUntilAnswered, isLeaseLost } from "./retry-call.ts";
import { progressTeller } from "./progress-teller.ts";
import { RunEnded } from "./worker-options.ts";
import type { ClaimedTask, Move, WorkerEvent, WorkerOptions } from "./worker-options.ts";

export type Tools<L extends SomeLifecycle, Progress> = {
  moves: MoveSender;
  heart: Heart;
  options: WorkerOptions<L, Progress>;
  tell: (event: WorkerEvent<L>) => void;
  /** The server has answered. */
  reached: () => void;
  /** Aborts when nothing is waited for any more. */
  end: AbortSignal;
};

const UNWIND_MS = 5_000;
const PROGRESS_EVERY_MS = 2_000;

/** A task in this worker's hands, from its claim until it is reported, given back or lost. */
export class TaskRun<L extends SomeLifecycle, Progress> {
  private readonly tools: Tools<L, Progress>;
  private readonly claimed: ClaimedTask<L>;
  private readonly ending = new AbortController();
  /** What the server said last. */
  private task: TaskOf<L>;
  /** The server has said that the lease is over: there is nothing left to say. */
  private taken = false;
  /** Moves that were sent, and whose answer the end of the run cut off. */
  private readonly unanswered: SentMove[] = [];

  constructor(tools: Tools<L, Progress>, claimed: ClaimedTask<L>) {
    this.tools = tools;
    this.claimed = claimed;
    this.task = withoutLease<L>(claimed);
    this.holdLease();
  }

  /** Runs it and reports what came of it; never rejects. */
  async carryOut(): Promise<void> {
    const { options, tell } = this.tools;
    tell({ kind: "started", task: this.task });
    const overtime =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            this.abort("time", `It took longer than ${(options.timeoutMs ?? 0) / 1_000} s.`);
          }, timerDelay(options.timeoutMs));
    const outcome = await this.outcome();
    clearTimeout(overtime);
    await this.conclude(outcome).catch((error: unknown) => {
      this.tellOf(error);
    });
    this.release();
  }

  /** Gives it back before, or after, it has run. */
  async giveBack(): Promise<void> {
    const { options, tell } = this.tools;
    const moves = options.release?.(this.task) ?? [{ action: "release" } as Move<L>];
    try {
      if (this.taken) throw leaseIsOver();
      for (const move of moves) await this.report(move);
      if (moves.length > 0) tell({ kind: "released", task: this.task });
    } catch (error) {
      this.tellOf(error);
    }
    this.release();
  }

  /** The worker stops, and cannot wait any longer. */
  interrupt(): void {
    this.abort("stop", "The worker stops.");
  }

  private async outcome(): Promise<{ move: Move<L> | undefined } | { error: unknown }> {
    const { options, end } = this.tools;
    const progress = progressTeller(options.progressEveryMs ?? PROGRESS_EVERY_MS, async (said: Progress) =>
      options.tellProgress?.(said, this.task, this.claimed.lease_token ?? ""),
    );
    const unwinding = this.unwound(options.unwindMs ?? UNWIND_MS, end);
    try {
      const running = options.run(this.claimed, {
        signal: this.ending.signal,
        leaseToken: this.claimed.lease_token ?? "",
        task: () => this.task,
        act: (action, fields = {} as never, call) => this.act({ action, ...fields }, call),
        progress: progress.tell,
      });
      return { move: await Promise.race([running, unwinding.late]) };
    } catch (error) {
      return { error };
    } finally {
      unwinding.forget();
      progress.stop();
    }
  }

  /** A run that does not heed its signal is waited for no longer than this after it. */
  private unwound(ms: number, end: AbortSignal) {
    const { signal } = this.ending;
    const waiting = followSignals([end]);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener(
        "abort",
        () => {
          const leave = () => {
            reject(new Unheeded(signal.reason as RunEnded));
          };
          sleep(ms, waiting.signal).then(leave, leave);
        },
        { once: true },
      );
    });
    late.catch(() => undefined);
    return {
      late,
      forget: () => {
        waiting.abort();
        waiting.release();
      },
    };
  }

  private async conclude(outcome: { move: Move<L> | undefined } | { error: unknown }): Promise<void> {
    const { tell } = this.tools;
    if (this.taken) throw leaseIsOver();
    if (!this.endedBy("lease")) await this.settleUnanswered();
    if ("move" in outcome) {
      const moved = outcome.move === undefined ? null : await this.reportOrFail(outcome.move);
      if (moved !== "failed") tell({ kind: "finished", task: this.task, moved });
      return;
    }
    if (this.endedBy("lease")) throw this.ending.signal.reason;
    if (this.endedBy("time")) await this.fail(this.ending.signal.reason);
    else if (!this.endedBy("stop")) await this.fail(outcome.error);
    // Who still runs must not meet another who was given the same task: it is left to its lease.
    else if (outcome.error instanceof Unheeded) throw outcome.error;
    else await this.giveBack();
  }

  /**
   * Repeats unanswered moves by their keys, so that each is done once. What is reported next depends on the status that they
   * led to: a report from another status would be refused, and the task left to its lease.
   */
  private async settleUnanswered(): Promise<void> {
    for (const sent of this.unanswered.splice(0))
      await this.send(sent, this.tools.end).catch((error: unknown) => {
        if (!(error instanceof PawlProblem)) throw error;
      });
  }

  /** A result that the rules refuse is a failure like any other. */
  private async reportOrFail(move: Move<L>): Promise<MovedOf<L> | "failed"> {
    try {
      return await this.report(move);
    } catch (error) {
      // Refused because it is somebody else's by now, whatever the words.
      if (this.endedBy("lease") || !(error instanceof PawlProblem)) throw error;
      await this.fail(error);
      return "failed";
    }
  }

  private async fail(error: unknown): Promise<void> {
    const { options, tell } = this.tools;
    const failure = (options.classify ?? classify)(error);
    const moves = options.failed(failure, this.task) ?? [];
    for (const move of "action" in moves ? [moves] : moves) await this.report(move);
    tell({ kind: "failed", task: this.task, failure });
  }

  /** In mid-run: whoever is told to end waits for no answer. */
  private async act(move: Move<L>, { signal }: CallOptions = {}): Promise<MovedOf<L>> {
    const waiting = followSignals([this.ending.signal, signal]);
    const sent = this.keyed(move);
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
    return this.send(this.keyed(move), this.tools.end);
  }

  private keyed(move: Move<L>): SentMove {
    const fields = move as { action: string; client_event_id?: string | null };
    return {
      ...fields,
      id: this.task.id,
      lease_token: this.claimed.lease_token,
      client_event_id: fields.client_event_id ?? randomUUID(),
    };
  }

  /** Says it until it is heard: with one key, so that it is done once. */
  private async send(sent: SentMove, waiting: AbortSignal): Promise<MovedOf<L>> {
    const { moves, tell, reached } = this.tools;
    const send = async () => {
      if (this.taken) throw leaseIsOver();
      return (await moves.send(sent, waiting)) as MovedOf<L>;
    };
    try {
      const moved = await retryUntilAnswered(send, waiting, (error) => {
        tell({ kind: "unreachable", error });
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
    this.tools.heart.keep({ task_id: this.task.id, lease_token, lease_ms }, (why) => {
      this.lose(why);
    });
  }

  private release(): void {
    const { lease_token } = this.claimed;
    if (lease_token !== null) this.tools.heart.release({ task_id: this.task.id, lease_token });
  }

  private lose(why: Loss): void {
    this.taken ||= why === "taken";
    this.abort(
      "lease",
      why === "taken" ? LEASE_IS_OVER : "The lease ran out: the server could not be reached in time.",
    );
  }

  private endedBy(why: RunEnded["why"]): boolean {
    return this.ending.signal.aborted && (this.ending.signal.reason as RunEnded).why === why;
  }

  private abort(why: RunEnded["why"], message: string): void {
    if (!this.ending.signal.aborted) this.ending.abort(new RunEnded(why, message));
  }

  private tellOf(error: unknown): void {
    const { tell } = this.tools;
    const lost = this.endedBy("lease") || error instanceof RunEnded || error instanceof Unheeded;
    if (!lost && error instanceof PawlProblem) tell({ kind: "refused", task: this.task, problem: error });
    else tell({ kind: "lost", task: this.task, why: error instanceof Error ? error.message : String(error) });
  }
}

/** What is told to listeners, who may write it down: the token is not for them. */
export function withoutLease<L extends SomeLifecycle>(claimed: ClaimedTask<L>): TaskOf<L> {
  const { lease_token: _, lease_until: __, ...task } = claimed;
  return task;
}

const LEASE_IS_OVER = "The lease is over: somebody else may have the task now.";

function leaseIsOver(): RunEnded {
  return new RunEnded("lease", LEASE_IS_OVER);
}

class Unheeded extends Error {
  override readonly name = "Unheeded";
  constructor(reason: RunEnded) {
    super(`${reason.message} The run did not end when it was told to.`, { cause: reason });
  }
}
