import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { fromCallers, measurePipeline, timed } from "../contender.ts";
import type { Measurement, Workloads, Params } from "../contender.ts";

/** An idempotency key, or null for a call without one. */
export type Key = string | null;

export type ClaimedErrand = { id: string; lease_token: string | null; file: string };

/** The calls that one version of Pawl offers on its queue of errands. A refusal is thrown. */
export type ErrandQueue = {
  /** Creates errands in one call and returns their ids. */
  create: (files: readonly string[], key: Key) => Promise<string[]>;
  claim: (limit: number, key: Key) => Promise<ClaimedErrand[]>;
  finish: (errand: ClaimedErrand, key: Key) => Promise<unknown>;
  finishMany: (errands: readonly ClaimedErrand[], newKey: () => Key) => Promise<unknown>;
  /** Moves an errand that has this version; returns the new version. */
  move: (id: string, action: "open" | "close", version: number, key: Key) => Promise<number>;
};

/** Times work, and may write a CPU profile under this name. */
type Stopwatch = (name: string, done: number, work: () => Promise<unknown>) => Promise<Measurement>;

const FILL_BATCH = 500;
/** Consecutive empty claims after which a fleet gives up. */
const MAX_EMPTY_CLAIMS = 1_000;
/** Poll interval of the in-process pipeline while its queue is empty. */
const POLL_INTERVAL_MS = 10;

/** Creates errands in large batches, ready to be claimed. */
export async function fill(queue: ErrandQueue, count: number): Promise<void> {
  await fromCallers(2, Math.ceil(count / FILL_BATCH), (n) =>
    queue.create(files(Math.min(FILL_BATCH, count - n * FILL_BATCH)), null),
  );
}

/** Claims and finishes in batches until the pool is empty, or until `limit` are done; returns the number done. */
export async function drain(
  queue: ErrandQueue,
  { batch, keys = 0, limit = Infinity }: { batch: number; keys?: number; limit?: number },
): Promise<number> {
  const newKey = keyMaker(keys);
  for (let done = 0; ;) {
    const size = Math.min(batch, limit - done);
    if (size < 1) return done;
    const claimed = await queue.claim(size, newKey());
    if (claimed.length === 0) return done;
    await queue.finishMany(claimed, newKey);
    done += claimed.length;
  }
}

/**
 * Workloads on one queue. `keys` 1 sends a fresh idempotency key with every call, as Pawl's client does; 0 sends none.
 */
export function queueWorkloads(
  queue: ErrandQueue,
  stopwatch: Stopwatch = (_, done, work) => timed(done, work),
): Workloads {
  return {
    fill: ({ tasks = 0 }: Params) => timed(tasks, () => fill(queue, tasks)),
    /** Each worker claims one errand and finishes it, again and again. */
    async fleet({ tasks = 0, workers = 1, keys = 1 }: Params) {
      const newKey = keyMaker(keys);
      const seen = new Set<string>();
      const measurement = await stopwatch("fleet", tasks, () =>
        fromCallers(workers, tasks, async () => {
          const errand = await claimOne(queue, newKey);
          seen.add(errand.id);
          await queue.finish(errand, newKey());
        }),
      );
      return { ...measurement, done: seen.size };
    },
    async claimAndComplete({ callers = 1, batch = 1, keys = 1 }: Params) {
      let drained: number[] = [];
      const measurement = await stopwatch("claim-and-complete", 0, async () => {
        drained = await Promise.all(Array.from({ length: callers }, () => drain(queue, { batch, keys })));
      });
      return { ...measurement, done: drained.reduce((sum, done) => sum + done, 0) };
    },
    createInBatches({ tasks = 0, callers = 1, batch = 1, keys = 1 }: Params) {
      const newKey = keyMaker(keys);
      return stopwatch("create-in-batches", tasks, () =>
        fromCallers(callers, tasks / batch, () => queue.create(files(batch), newKey())),
      );
    },
    createOneByOne({ tasks = 0, callers = 1, keys = 1 }: Params) {
      const newKey = keyMaker(keys);
      return stopwatch("create-one-by-one", tasks, () =>
        fromCallers(callers, tasks, (n) => queue.create([`report-${n}.pdf`], newKey())),
      );
    },
    /** Each errand is opened and closed in turn, with the version seen last. */
    async moveOneByOne({ tasks = 0, moves = 0, callers = 1, keys = 1 }: Params) {
      const newKey = keyMaker(keys);
      const ids = await queue.create(files(tasks), null);
      const versions = ids.map(() => 1);
      return stopwatch("move-one-by-one", moves, () =>
        fromCallers(callers, moves, async (n) => {
          const index = n % ids.length;
          const version = versions[index] ?? 0;
          const action = version % 2 === 1 ? "open" : "close";
          versions[index] = await queue.move(ids[index] ?? "", action, version, newKey());
        }),
      );
    },
    /** Workers in the same process: one loop claims for all that are free, and polls while the queue is empty. */
    pipeline: ({ workers = 1, ...params }: Params) =>
      measurePipeline(params, (onFinished) => startPipeline(queue, workers, onFinished)),
  };
}

/** Repeats an empty claim: near the end, the errands that are left may be locked by other claims. */
async function claimOne(queue: ErrandQueue, newKey: () => Key): Promise<ClaimedErrand> {
  for (let tries = 0; tries < MAX_EMPTY_CLAIMS; tries++) {
    const [errand] = await queue.claim(1, newKey());
    if (errand) return errand;
  }
  throw new Error(`${MAX_EMPTY_CLAIMS} claims in a row found nothing, though errands are left`);
}

function startPipeline(queue: ErrandQueue, workers: number, onFinished: (file: string) => void) {
  const newKey = keyMaker(1);
  let stopped = false;
  let running = 0;
  let wake: () => void = () => undefined;
  const finish = async (errand: ClaimedErrand) => {
    await queue.finish(errand, newKey());
    running--;
    wake();
    onFinished(errand.file);
  };
  const work = async () => {
    const runs: Promise<void>[] = [];
    while (!stopped) {
      const free = workers - running;
      if (free < 1) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const claimed = await queue.claim(free, newKey());
      running += claimed.length;
      runs.push(...claimed.map(finish));
      if (claimed.length === 0) await pause(POLL_INTERVAL_MS);
    }
    await Promise.all(runs);
  };
  const working = work();
  return {
    create: (file: string) => queue.create([file], newKey()),
    stop: async () => {
      stopped = true;
      wake();
      await working;
    },
  };
}

function keyMaker(keys: number): () => Key {
  return keys === 0 ? () => null : randomUUID;
}

function files(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `report-${n}.pdf`);
}
