export { classify, GiveUp, RetryLater } from "./failure.ts";
export type { Failure } from "./failure.ts";
export { insist } from "./patience.ts";
export { startWorker } from "./start-worker.ts";
export { RunEnded } from "./worker-options.ts";
export type { ClaimedTask, Move, RunningWorker, Work, WorkerEvent, WorkerOptions } from "./worker-options.ts";
