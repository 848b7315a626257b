// graphile-worker: `addJobs` for batches; the local queue and batched completion for work.
import { EventEmitter } from "node:events";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";

const TASK = "errand";
const logger = new Logger(() => () => {});

export async function open({ url }, { timed, fromCallers }) {
  const known = new Map();
  const utilsWith = async (maxPoolSize) => {
    if (!known.has(maxPoolSize)) {
      const preset = { worker: { connectionString: url, maxPoolSize } };
      known.set(maxPoolSize, await makeWorkerUtils({ preset, logger }));
    }
    return known.get(maxPoolSize);
  };
  await (await utilsWith(10)).migrate();
  return {
    bouts: {
      async fill({ tasks }) {
        const utils = await utilsWith(10);
        return timed(tasks, () => fromCallers(2, tasks / 500, () => utils.addJobs(specs(500))));
      },
      claimAndComplete: (task) => drain(url, task),
      async createInBatches({ tasks, callers, batch }) {
        const utils = await utilsWith(10);
        return timed(tasks, () => fromCallers(callers, tasks / batch, () => utils.addJobs(specs(batch))));
      },
      async createOneByOne({ tasks, callers, pool }) {
        const utils = await utilsWith(pool);
        return timed(tasks, () =>
          fromCallers(callers, tasks, (n) => utils.addJob(TASK, { file: `report-${n}.pdf` })),
        );
      },
    },
    close: () => Promise.all([...known.values()].map((utils) => utils.release())),
  };
}

/** From its first fetch (so that the start of the worker does not count, and every fetch does) until the table is empty. */
async function drain(url, { tasks, jobs, queue, delay }) {
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  let started = 0n;
  let count = 0;
  const { promise: allRun, resolve } = Promise.withResolvers();
  const events = new EventEmitter();
  events.once("localQueue:init", () => (started = process.hrtime.bigint()));
  const runner = await run({
    logger,
    events,
    noHandleSignals: true,
    taskList: {
      [TASK]: () => {
        if (++count === tasks) resolve();
      },
    },
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: jobs,
        maxPoolSize: 10,
        localQueue: { size: queue },
        completeJobBatchDelay: delay,
        failJobBatchDelay: delay,
      },
    },
  });
  await allRun;
  while (await anyLeft(observer)) await new Promise((soon) => setTimeout(soon, 2));
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (started === 0n) throw new Error("the worker never said that it began");
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
