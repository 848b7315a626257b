import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "./report.ts";

/** The work that a contender did and the time that it took, without preparation. */
export type Measurement = { done: number; seconds: number; figures?: Record<string, number> };

/** Parameters of a workload: the amount of work, and the contender's settings. */
export type Params = Record<string, number>;

/** Options of a contender: the address of its server, and where to write profiles. */
export type ContenderOptions = {
  url: string;
  /** The folder that CPU profiles are written to. */
  profiles?: string;
  /** The folder of the build, if another version of Pawl is measured. */
  build?: string;
};

export type Workloads = Record<string, (params: Params) => Promise<Measurement>>;

/** A system that is measured: runs in its own process and executes workloads on request. */
export type Contender = { workloads: Workloads; close: () => Promise<unknown> };

/** The exports of a contender's module. Modules of peers are not part of the build, so they get the helpers as an argument. */
export type ContenderModule = { open: (options: ContenderOptions, helpers: Helpers) => Promise<Contender> };
type Helpers = {
  timed: typeof timed;
  fromCallers: typeof fromCallers;
  measurePipeline: typeof measurePipeline;
};

/** Messages from the parent to the contender's process, and back. */
export type WorkloadRequest = { id: number; workload: string; params: Params };
export type WorkloadReply =
  { id: number; measurement: Measurement } | { id: number; error: string } | { ready: true };

/** Measures how long `work` takes. */
export async function timed(done: number, work: () => Promise<unknown>): Promise<Measurement> {
  const started = process.hrtime.bigint();
  await work();
  return { done, seconds: Number(process.hrtime.bigint() - started) / 1e9 };
}

/** Runs `work` `total` times, shared among `callers` concurrent callers. */
export async function fromCallers(
  callers: number,
  total: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const call = async () => {
    for (let index = next++; index < total; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: callers }, call));
}

/** A queue with running workers. The workers report each file that they have finished. */
export type Pipeline = { create: (file: string) => Promise<unknown>; stop: () => Promise<unknown> };

/** Time limit for tasks that are unfinished when the last one has been created. */
const PIPELINE_TIMEOUT_MS = 60_000;

/**
 * Measures tasks from create to finish: at `rate` tasks a second, or, with rate 0, from `callers` that wait for their task
 * to finish before they create the next. At a fixed rate, the latency of a task includes the delay of a late create.
 */
export async function measurePipeline(
  { rate = 0, callers = 1, seconds = 1 }: Params,
  start: (onFinished: (file: string) => void) => Pipeline | Promise<Pipeline>,
): Promise<Measurement> {
  const unfinished = new Map<string, () => void>();
  const latencies: number[] = [];
  const pipeline = await start((file) => unfinished.get(file)?.());
  const send = async (n: number, dueAt: number) => {
    const file = `report-${n}.pdf`;
    const finished = new Promise<void>((resolve) => {
      unfinished.set(file, () => {
        latencies.push(now() - dueAt);
        unfinished.delete(file);
        resolve();
      });
    });
    await pipeline.create(file);
    await finished;
  };
  const startedAt = now();
  const endsAt = startedAt + seconds * 1_000;
  const sent = rate > 0 ? sendAtRate(send, rate, seconds) : sendFromCallers(send, callers, endsAt);
  await beforeTimeout(
    sent,
    seconds * 1_000 + PIPELINE_TIMEOUT_MS,
    () => `${unfinished.size} tasks never finished`,
  );
  const elapsed = (now() - startedAt) / 1_000;
  await pipeline.stop();
  const figures = { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
  return { done: latencies.length, seconds: elapsed, figures };
}

type Send = (n: number, dueAt: number) => Promise<void>;

async function sendAtRate(send: Send, rate: number, seconds: number): Promise<void> {
  const startedAt = now();
  const sent: Promise<void>[] = [];
  for (let n = 0; n < rate * seconds; n++) {
    const dueAt = startedAt + (n * 1_000) / rate;
    if (dueAt > now()) await pause(dueAt - now());
    const one = send(n, dueAt);
    // Promise.all below reports it; until then the rejection must not count as unhandled.
    one.catch(() => undefined);
    sent.push(one);
  }
  await Promise.all(sent);
}

async function sendFromCallers(send: Send, callers: number, endsAt: number): Promise<void> {
  let next = 0;
  const call = async () => {
    while (now() < endsAt) await send(next++, now());
  };
  await Promise.all(Array.from({ length: callers }, call));
}

async function beforeTimeout(work: Promise<void>, ms: number, describe: () => string): Promise<void> {
  const over = new AbortController();
  const timeout = pause(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`after ${ms} ms ${describe()}`);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    over.abort();
    timeout.catch(() => undefined);
  }
}

/** Milliseconds on a clock that all processes of a machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
