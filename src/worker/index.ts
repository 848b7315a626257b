export { classify, GiveUp, RetryLater } from "./failure.ts";
export type { Failure } from "./failure.ts";
export { retryUntilAnswered } from "./retry-call.ts";
export { startWorker } from "./start-worker.ts";
export { RunEnded } from "./worker-options.ts";
export type {
  ClaimedTask,
  Move,
  RunningWorker,
  Work,
  WorkerClient,
  WorkerEvent,
  WorkerOptions,
} from "./worker-options.ts";
