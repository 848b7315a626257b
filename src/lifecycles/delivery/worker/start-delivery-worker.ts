import { isRefusal } from "../../../core/index.ts";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { PawlProblem } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";
import { timerDelay } from "../../../std/timer-delay.ts";
import { RunEnded, startWorker } from "../../../worker/index.ts";
import type { RunningWorker, Work, WorkerEvent } from "../../../worker/index.ts";
import { DELIVERY_ROUTES } from "../api.ts";
import { deliverFile } from "./deliver-file.ts";
import type { DeliveryCalls, Hands, Progress } from "./deliver-file.ts";
import { DeliveryFault } from "./faults.ts";
import { delivery } from "../lifecycle.ts";
import { tellable } from "./log.ts";
import type { Log } from "./log.ts";
import type { Sender } from "./sender.ts";
import type { Storage } from "./storage/storage.ts";
import { retryUntilAnswered } from "../../../worker/index.ts";

export type DeliveryWorkerOptions = {
  /** Of a member with the role worker. */
  client: Client;
  storage: Storage;
  sender: Sender;
  concurrency: number;
  log: Log;
  graceMs?: number | undefined;
  progressEveryMs?: number | undefined;
  onEvent?: ((event: WorkerEvent<typeof delivery>) => void) | undefined;
};

type Job = { id: string; data: { file_id: string; chat_id: string } };
type Failure = { code: string; message: string; retryable: boolean; retry_after_seconds?: number };

/** However eager a project is. */
const SHORTEST_HEARTBEAT_MS = 100;
/** Who waits for Telegram's word on a whole file is given this long when the worker stops: without it the file goes out twice. */
const UNWIND_MS = 60_000;
const LONGEST_RETRY_AFTER_SECONDS = 86_400;

/** Delivers what is in the queue until it is stopped. */
export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<RunningWorker> {
  const { client, concurrency, log } = options;
  const calls = client.calls(DELIVERY_ROUTES);
  const self = { id: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`, concurrency };
  // What a worker held that died here, and was started again, need not wait for the next sweep.
  await calls.recoverDeliveryJobs();
  const held = new Map<string, { task_id: string; lease_token: string }>();
  const presence = await bePresent(
    () => calls.tellDeliveryProgress({ worker: self, jobs: [] }),
    async () => {
      // The runtime beats often enough to keep a lease; who looks at a job wants to see it live more often than that.
      if (held.size > 0) await client.beatLeases({ leases: [...held.values()] });
    },
    (error) => {
      log.warn(tellable(error), "heartbeat failed; retrying at the next interval");
    },
  );
  const worker = startWorker<typeof delivery, Progress>({
    client,
    lifecycle: delivery,
    concurrency,
    ahead: 0,
    unwindMs: UNWIND_MS,
    graceMs: options.graceMs,
    progressEveryMs: options.progressEveryMs,
    run: async (task, work) => {
      held.set(task.id, { task_id: task.id, lease_token: work.leaseToken });
      try {
        const { message_id, telegram_file_id, revision } = await deliverFile(
          { ...options, calls: patient(calls, work.signal) },
          jobOf(task, work, client),
        );
        return { action: "deliver", payload: { message_id, telegram_file_id, revision } };
      } finally {
        held.delete(task.id);
      }
    },
    failed: ({ error }, task) => {
      const failure = failureOf(error);
      const about = { job: task.id, code: failure.code, attempt: task.attempt + 1 };
      if (failure.code === "UNKNOWN")
        log.error({ ...about, ...tellable(error) }, "unknown: a job failed, nobody knows why");
      else log.warn({ ...about, message: failure.message }, "a job failed");
      // What has not begun, and may well go on, is given back unspent.
      if (task.status === "CLAIMED" && failure.retryable) return { action: "release" };
      return { action: "fail", payload: { error: failure } };
    },
    release: (task) =>
      task.status === "STREAMING"
        ? [{ action: "fail", payload: { error: STOPPED } }]
        : [{ action: "release" }],
    tellProgress: (progress, { id }, lease_token) =>
      calls.tellDeliveryProgress({ worker: self, jobs: [{ job_id: id, lease_token, ...progress }] }),
    onEvent: (event) => {
      noteEvent(log, event);
      options.onEvent?.(event);
    },
  });
  worker.finished.then(presence.end, presence.end);
  return worker;
}

/** Is heard of as often as the server wants, and beats for what is in hand: until it ends. */
async function bePresent(
  tell: () => Promise<{ heartbeat_seconds: number }>,
  beat: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<{ end: () => void }> {
  let { heartbeat_seconds } = await tell();
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(
      () => {
        wait();
        beat().catch(onFailure);
        tell().then((told) => (heartbeat_seconds = told.heartbeat_seconds), onFailure);
      },
      timerDelay(Math.max(SHORTEST_HEARTBEAT_MS, heartbeat_seconds * 1_000)),
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
      if (lost.length > 0) throw new RunEnded("lease", "The lease is over.");
    },
  };
}

/** What a delivery asks the server beside its moves. */
function patient(calls: DeliveryCalls, signal: AbortSignal): Hands["calls"] {
  return {
    getDeliverySource: (asked) =>
      retryUntilAnswered(() => calls.getDeliverySource(asked, { signal }), signal),
    forgetCachedDeliveryFile: (asked) =>
      retryUntilAnswered(() => calls.forgetCachedDeliveryFile(asked, { signal }), signal),
  };
}

const STOPPED: Failure = {
  code: "WORKER_STOPPED",
  message: "The worker was stopped in the middle of the file.",
  retryable: true,
};

/** Refusals by which the lifecycle says that there is no use in trying. */
const HOPELESS = new Set(["USER_NOT_ACTIVE", "ATTEMPTS_EXHAUSTED"]);

/** What an error means for the job, as the server is told. */
function failureOf(error: unknown): Failure {
  if (error instanceof DeliveryFault) {
    const { code, message, retryable, retryAfterSeconds } = error;
    const seconds = Math.min(retryAfterSeconds ?? 0, LONGEST_RETRY_AFTER_SECONDS);
    return { code, message, retryable, ...(seconds > 0 ? { retry_after_seconds: seconds } : {}) };
  }
  if (error instanceof PawlProblem && HOPELESS.has(error.code))
    return { code: error.code, message: error.detail, retryable: false };
  if (error instanceof PawlProblem && error.code === "UNAVAILABLE")
    return { code: "NETWORK_RESET", message: "pawl: the server could not be reached", retryable: true };
  return { code: "UNKNOWN", message: "nobody knows what it was", retryable: true };
}

function noteEvent(log: Log, event: WorkerEvent<typeof delivery>): void {
  if (event.kind === "finished") log.info({ job: event.task.id }, "delivered");
  else if (event.kind === "lost")
    log.warn({ job: event.task.id, why: event.why }, "the job is not ours any more");
  else if (isRefusal(event))
    log.error({ job: event.task.id, code: event.problem.code }, "the server does not take what was reported");
  else if (event.kind === "renewal_failed") log.warn(tellable(event.error), "lease renewal failed; retrying");
  else if (event.kind === "unreachable") log.warn(tellable(event.error), "the server cannot be reached");
  else if (event.kind === "reached") log.info({}, "the server is there again");
}
