import { isRefusal } from "../../../core/index.ts";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { PawlProblem } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";
import { timerDelay } from "../../../std/timer-delay.ts";
import { RunEnded, startWorker } from "../../../worker/index.ts";
import type { RunningWorker, Work, WorkerEvent } from "../../../worker/index.ts";
import { DELIVERY_ROUTES } from "../api.ts";
import { CircuitBreaker, DeliveriesPaused } from "./circuit-breaker.ts";
import { deliverFile } from "./deliver-file.ts";
import type { DeliveryCalls, DeliverFileDeps, Progress } from "./deliver-file.ts";
import { DeliveryFault } from "./faults.ts";
import { delivery } from "../lifecycle.ts";
import { redactedError } from "./log.ts";
import type { Log } from "./log.ts";
import type { Sender } from "./sender.ts";
import type { Storage } from "./storage/storage.ts";
import { retryUntilAnswered } from "../../../worker/index.ts";

export type DeliveryWorkerOptions = {
  /** Authenticated as a member with the role worker. */
  client: Client;
  storage: Storage;
  sender: Sender;
  concurrency: number;
  log: Log;
  graceMs?: number | undefined;
  progressIntervalMs?: number | undefined;
  onEvent?: ((event: WorkerEvent<typeof delivery>) => void) | undefined;
};

type Job = { id: string; data: { file_id: string; chat_id: string } };
type Failure = { code: string; message: string; retryable: boolean; retry_after_seconds?: number };

/** Lower limit, whatever a project's setting is. */
const MIN_HEARTBEAT_MS = 100;
/** On stop, maximum wait for Telegram's answer to a completely sent file: without the answer it would be sent twice. */
const ANSWER_GRACE_MS = 60_000;
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** Starts a worker that delivers queued jobs until it is stopped. */
export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<RunningWorker> {
  const { client, concurrency, log } = options;
  const calls = client.calls(DELIVERY_ROUTES);
  const self = { id: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`, concurrency };
  // Requeues the jobs of a crashed worker without waiting for the next sweep.
  await calls.recoverDeliveryJobs();
  const held = new Map<string, { task_id: string; lease_token: string }>();
  const heartbeats = await startHeartbeats(
    () => calls.reportDeliveryProgress({ worker: self, jobs: [] }),
    async () => {
      // The worker runtime renews leases just often enough to keep them; users see heartbeats, so send more of them.
      if (held.size > 0) await client.beatLeases({ leases: [...held.values()] });
    },
    (error) => {
      log.warn(redactedError(error), "heartbeat failed; retrying at the next interval");
    },
  );
  const breaker = new CircuitBreaker({ ...options, calls });
  const worker = startWorker<typeof delivery, Progress>({
    client,
    lifecycle: delivery,
    concurrency,
    prefetch: 0,
    beforeClaim: (signal) => breaker.untilClosed(signal),
    abortGraceMs: ANSWER_GRACE_MS,
    graceMs: options.graceMs,
    progressIntervalMs: options.progressIntervalMs,
    run: async (task, work) => {
      held.set(task.id, { task_id: task.id, lease_token: work.leaseToken });
      try {
        breaker.check();
        const { message_id, telegram_file_id, revision } = await deliverFile(
          { ...options, storage: breaker.storage, calls: retryingCalls(calls, work.signal) },
          jobOf(task, work, client),
        );
        breaker.onDelivered({ revision });
        return { action: "deliver", payload: { message_id, telegram_file_id, revision } };
      } finally {
        held.delete(task.id);
      }
    },
    failed: ({ error }, task) => {
      if (error instanceof DeliveriesPaused) return { action: "release" };
      breaker.onFailed(error);
      const failure = failureOf(error);
      const context = { job: task.id, code: failure.code, attempt: task.attempt + 1 };
      if (failure.code === "UNKNOWN")
        log.error({ ...context, ...redactedError(error) }, "unknown error: the job failed");
      else log.warn({ ...context, message: failure.message }, "the job failed");
      // A job that has not started is released, which counts no attempt.
      if (task.status === "CLAIMED" && failure.retryable) return { action: "release" };
      return { action: "fail", payload: { error: failure } };
    },
    release: (task) =>
      task.status === "STREAMING"
        ? [{ action: "fail", payload: { error: STOPPED } }]
        : [{ action: "release" }],
    sendProgress: (progress, { id }, lease_token) =>
      calls.reportDeliveryProgress({ worker: self, jobs: [{ job_id: id, lease_token, ...progress }] }),
    onEvent: (event) => {
      logEvent(log, event);
      options.onEvent?.(event);
    },
  });
  worker.finished.then(heartbeats.end, heartbeats.end);
  return worker;
}

/** Reports the worker and renews its leases at the interval that the server returns, until `end` is called. */
async function startHeartbeats(
  report: () => Promise<{ heartbeat_seconds: number }>,
  renewLeases: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<{ end: () => void }> {
  let { heartbeat_seconds } = await report();
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(
      () => {
        wait();
        renewLeases().catch(onFailure);
        report().then((reply) => (heartbeat_seconds = reply.heartbeat_seconds), onFailure);
      },
      timerDelay(Math.max(MIN_HEARTBEAT_MS, heartbeat_seconds * 1_000)),
    );
  };
  wait();
  return {
    end: () => {
      clearTimeout(timer);
    },
  };
}

function jobOf(
  task: Job,
  { act, progress, signal, leaseToken }: Work<typeof delivery, Progress>,
  client: Client,
) {
  return {
    file_id: task.data.file_id,
    chat_id: task.data.chat_id,
    signal,
    onProgress: progress,
    startDownload: () => act("start_download"),
    startStream: () => act("start_stream"),
    confirm: async () => {
      const lease = { task_id: task.id, lease_token: leaseToken };
      const { lost } = await retryUntilAnswered(
        () => client.beatLeases({ leases: [lease] }, { signal }),
        signal,
      );
      if (lost.length > 0) throw new RunEnded("lease", "The lease has ended.");
    },
  };
}

/** The server calls of a delivery besides its moves, with retries. */
function retryingCalls(calls: DeliveryCalls, signal: AbortSignal): DeliverFileDeps["calls"] {
  return {
    getDeliverySource: (params) =>
      retryUntilAnswered(() => calls.getDeliverySource(params, { signal }), signal),
    forgetCachedDeliveryFile: (params) =>
      retryUntilAnswered(() => calls.forgetCachedDeliveryFile(params, { signal }), signal),
  };
}

const STOPPED: Failure = {
  code: "WORKER_STOPPED",
  message: "The worker was stopped while it sent the file.",
  retryable: true,
};

/** Refusals of the lifecycle after which a retry cannot succeed. */
const NOT_RETRYABLE = new Set(["USER_NOT_ACTIVE", "ATTEMPTS_EXHAUSTED"]);

/** Converts an error to the failure that is reported to the server. */
function failureOf(error: unknown): Failure {
  if (error instanceof DeliveryFault) {
    const { code, message, retryable, retryAfterSeconds } = error;
    const seconds = Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
    return { code, message, retryable, ...(seconds > 0 ? { retry_after_seconds: seconds } : {}) };
  }
  if (error instanceof PawlProblem && NOT_RETRYABLE.has(error.code))
    return { code: error.code, message: error.detail, retryable: false };
  if (error instanceof PawlProblem && error.code === "UNAVAILABLE")
    return { code: "NETWORK_RESET", message: "pawl: the server could not be reached", retryable: true };
  return { code: "UNKNOWN", message: "unknown error", retryable: true };
}

function logEvent(log: Log, event: WorkerEvent<typeof delivery>): void {
  if (event.kind === "finished") log.info({ job: event.task.id }, "delivered");
  else if (event.kind === "lost")
    log.warn({ job: event.task.id, why: event.why }, "the worker has lost the job");
  else if (isRefusal(event))
    log.error({ job: event.task.id, code: event.problem.code }, "the server refused the report");
  else if (event.kind === "renewal_failed")
    log.warn(redactedError(event.error), "lease renewal failed; retrying");
  else if (event.kind === "unreachable") log.warn(redactedError(event.error), "the server cannot be reached");
  else if (event.kind === "reached") log.info({}, "the server can be reached again");
}
