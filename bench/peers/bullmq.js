// BullMQ on Redis: `addBulk` for batches; several workers with high concurrency, one worker in a fleet; removes completed jobs.
import { randomUUID } from "node:crypto";
import { Queue, Worker } from "bullmq";

const QUEUE = "errands";
const FILL_BATCH = 500;
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true };

export async function open({ url: path }, { timed, fromCallers, measurePipeline }) {
  const queues = new Map();
  const queueWith = async (autoPipelining) => {
    if (!queues.has(autoPipelining)) {
      const connection = { path, enableAutoPipelining: autoPipelining === 1 };
      const queue = new Queue(QUEUE, { connection, defaultJobOptions: KEEP_NOTHING });
      await queue.waitUntilReady();
      queues.set(autoPipelining, queue);
    }
    return queues.get(autoPipelining);
  };
  // Jobs of earlier measurements would fill the memory.
  const emptyQueueWith = async (autoPipelining) => {
    const queue = await queueWith(autoPipelining);
    await queue.obliterate({ force: true });
    return queue;
  };
  await queueWith(0);
  return {
    workloads: {
      async fill({ tasks }) {
        const queue = await emptyQueueWith(0);
        return timed(tasks, () =>
          fromCallers(2, Math.ceil(tasks / FILL_BATCH), (n) =>
            queue.addBulk(jobs(Math.min(FILL_BATCH, tasks - n * FILL_BATCH))),
          ),
        );
      },
      fleet: ({ workers, ...params }) => drain(path, { ...params, workers: 1, concurrency: workers }),
      claimAndComplete: (params) => drain(path, params),
      async createInBatches({ tasks, callers, batch, pipelining = 0 }) {
        const queue = await emptyQueueWith(pipelining);
        return timed(tasks, () => fromCallers(callers, tasks / batch, () => queue.addBulk(jobs(batch))));
      },
      async createOneByOne({ tasks, callers, pipelining = 0 }) {
        const queue = await emptyQueueWith(pipelining);
        return timed(tasks, () =>
          fromCallers(callers, tasks, (n) =>
            queue.add("errand", { file: `report-${n}.pdf` }, { jobId: randomUUID() }),
          ),
        );
      },
      async pipeline({ workers, pipelining = 0, ...params }) {
        const queue = await emptyQueueWith(pipelining);
        return measurePipeline(params, async (onFinished) => {
          const worker = workerOn(path, { concurrency: workers, pipelining });
          worker.on("completed", ({ data }) => onFinished(data.file));
          worker.on("error", (error) => console.error(error));
          await worker.waitUntilReady();
          const running = worker.run();
          return {
            create: (file) => queue.add("errand", { file }, { jobId: randomUUID() }),
            stop: async () => {
              await worker.close();
              await running;
            },
          };
        });
      },
    },
    close: () => Promise.all([...queues.values()].map((queue) => queue.close())),
  };
}

/** Measures from the start of the workers until the last job is reported as completed. */
async function drain(path, { tasks, workers: count, concurrency, pipelining = 0 }) {
  const { promise: allDone, resolve, reject } = Promise.withResolvers();
  let done = 0;
  const workers = Array.from({ length: count }, () => {
    const worker = workerOn(path, { concurrency, pipelining });
    worker.on("completed", () => {
      if (++done === tasks) resolve();
    });
    worker.on("error", reject);
    return worker;
  });
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  const started = process.hrtime.bigint();
  for (const worker of workers) worker.run().catch(reject);
  await allDone;
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  await Promise.all(workers.map((worker) => worker.close()));
  return { done: tasks, seconds };
}

function workerOn(path, { concurrency, pipelining }) {
  const connection = { path, enableAutoPipelining: pipelining === 1, maxRetriesPerRequest: null };
  return new Worker(QUEUE, async () => "sent", { connection, autorun: false, concurrency, ...KEEP_NOTHING });
}

function jobs(count) {
  return Array.from({ length: count }, (_, n) => ({ name: "errand", data: { file: `report-${n}.pdf` } }));
}
