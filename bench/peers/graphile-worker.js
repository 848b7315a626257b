// graphile-worker: `addJobs` for batches; local queue and batched completion for bulk work, neither of them in a fleet.
import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";

const TASK = "errand";
const FILL_BATCH = 500;
/** Turns the local queue, or batched completion, off. */
const OFF = -1;
const logger = new Logger(() => () => {});

export async function open({ url }, { timed, fromCallers, measurePipeline }) {
  // One pool at a time: the connections of all contenders share one server.
  let current = { pool: 10, utils: await utilsOf(url, 10) };
  const utilsWith = async (pool = current.pool) => {
    if (pool !== current.pool) {
      await current.utils.release();
      current = { pool, utils: await utilsOf(url, pool) };
    }
    return current.utils;
  };
  await current.utils.migrate();
  return {
    workloads: {
      async fill({ tasks }) {
        const utils = await utilsWith();
        return timed(tasks, () =>
          fromCallers(2, Math.ceil(tasks / FILL_BATCH), (n) =>
            utils.addJobs(specs(Math.min(FILL_BATCH, tasks - n * FILL_BATCH))),
          ),
        );
      },
      fleet: ({ tasks, workers, pool }) => drain(url, { tasks, jobs: workers, pool }),
      claimAndComplete: (params) => drain(url, params),
      async createInBatches({ tasks, callers, batch }) {
        const utils = await utilsWith(10);
        return timed(tasks, () => fromCallers(callers, tasks / batch, () => utils.addJobs(specs(batch))));
      },
      async createOneByOne({ tasks, callers, pool }) {
        const utils = await utilsWith(pool);
        return timed(tasks, () =>
          fromCallers(callers, tasks, (n) =>
            utils.addJob(TASK, { file: `report-${n}.pdf` }, { jobKey: randomUUID() }),
          ),
        );
      },
      async pipeline({ workers, queue, delay, pool, ...params }) {
        const utils = await utilsWith(pool);
        return measurePipeline(params, async (onFinished) => {
          const handler = ({ file }) => onFinished(file);
          const runner = await startRunner(url, { jobs: workers, queue, delay, pool }, handler);
          return {
            create: (file) => utils.addJob(TASK, { file }, { jobKey: randomUUID() }),
            stop: () => runner.stop(),
          };
        });
      },
    },
    close: () => current.utils.release(),
  };
}

function utilsOf(url, maxPoolSize) {
  return makeWorkerUtils({ preset: { worker: { connectionString: url, maxPoolSize } }, logger });
}

function startRunner(url, { jobs, queue = OFF, delay = OFF, pool = 10 }, handler, events) {
  return run({
    logger,
    ...(events ? { events } : {}),
    noHandleSignals: true,
    taskList: { [TASK]: handler },
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: jobs,
        maxPoolSize: pool,
        localQueue: { size: queue },
        completeJobBatchDelay: delay,
        failJobBatchDelay: delay,
      },
    },
  });
}

/** Measures from the first fetch, without the start of the worker, until the table is empty. */
async function drain(url, { tasks, ...settings }) {
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  let started = 0n;
  let count = 0;
  const { promise: allRun, resolve } = Promise.withResolvers();
  const events = new EventEmitter();
  const noteStart = () => (started ||= process.hrtime.bigint());
  events.once("localQueue:init", noteStart);
  events.once("worker:getJob:start", noteStart);
  const handler = () => {
    if (++count === tasks) resolve();
  };
  const runner = await startRunner(url, settings, handler, events);
  await allRun;
  while (await anyLeft(observer)) await new Promise((soon) => setTimeout(soon, 2));
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (started === 0n) throw new Error("the worker emitted no start event");
  await runner.stop();
  await observer.end();
  return { done: tasks, seconds };
}

async function anyLeft(client) {
  const { rows } = await client.query(
    "select exists (select from graphile_worker._private_jobs) as any_left",
  );
  return rows[0].any_left;
}

function specs(count) {
  return Array.from({ length: count }, (_, n) => ({
    identifier: TASK,
    payload: { file: `report-${n}.pdf` },
  }));
}
