// pg-boss: `insert` for batches, large fetches, one `complete` per fetch; in a fleet, fetches of one job.
import { randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";

const QUEUE = "errands";
/** For the pipeline: its workers are woken by NOTIFY. */
const NOTIFIED_QUEUE = "notified_errands";
const FILL_BATCH = 500;
const MAX_EMPTY_FETCHES = 1_000;

export async function open({ url }, { timed, fromCallers, measurePipeline }) {
  // One instance at a time: the connections of all contenders share one server.
  let current = { pool: 10, boss: await start(url, 10) };
  const bossWith = async (pool = current.pool) => {
    if (pool !== current.pool) {
      await current.boss.stop({ graceful: false });
      current = { pool, boss: await start(url, pool) };
    }
    return current.boss;
  };
  return {
    workloads: {
      async fill({ tasks }) {
        const boss = await bossWith();
        return timed(tasks, () =>
          fromCallers(2, Math.ceil(tasks / FILL_BATCH), (n) =>
            boss.insert(QUEUE, jobs(Math.min(FILL_BATCH, tasks - n * FILL_BATCH))),
          ),
        );
      },
      async fleet({ tasks, workers, pool }) {
        const boss = await bossWith(pool);
        let done = 0;
        const measurement = await timed(tasks, () =>
          fromCallers(workers, tasks, async () => {
            const { id } = await fetchOne(boss);
            const { affected } = await boss.complete(QUEUE, id, { result: "sent" });
            done += affected;
          }),
        );
        return { ...measurement, done };
      },
      async claimAndComplete({ callers, batch }) {
        const boss = await bossWith(10);
        let drained = [];
        const measurement = await timed(0, async () => {
          drained = await Promise.all(Array.from({ length: callers }, () => drain(boss, batch)));
        });
        return { ...measurement, done: drained.reduce((sum, done) => sum + done, 0) };
      },
      async createInBatches({ tasks, callers, batch }) {
        const boss = await bossWith(10);
        return timed(tasks, () => fromCallers(callers, tasks / batch, () => boss.insert(QUEUE, jobs(batch))));
      },
      async createOneByOne({ tasks, callers, pool }) {
        const boss = await bossWith(pool);
        return timed(tasks, () =>
          fromCallers(callers, tasks, (n) =>
            boss.send(QUEUE, { file: `report-${n}.pdf` }, { id: randomUUID() }),
          ),
        );
      },
      async pipeline({ workers, batch, pool, ...params }) {
        const boss = await bossWith(pool);
        return measurePipeline(params, async (onFinished) => {
          await boss.work(
            NOTIFIED_QUEUE,
            {
              localConcurrency: workers,
              batchSize: batch,
              burstWhenBatchFull: batch > 1,
              pollingIntervalSeconds: 0.5,
              notifyPollingIntervalSeconds: 0.5,
            },
            async (fetched) => {
              for (const { data } of fetched) onFinished(data.file);
            },
          );
          return {
            create: (file) => boss.send(NOTIFIED_QUEUE, { file }, { id: randomUUID() }),
            // Waits until the last jobs are completed.
            stop: () => boss.offWork(NOTIFIED_QUEUE, { wait: true }),
          };
        });
      },
    },
    close: () => current.boss.stop({ graceful: false }),
  };
}

// Maintenance and cron would disturb the measurements of others.
async function start(url, max) {
  const boss = new PgBoss({
    connectionString: url,
    max,
    supervise: false,
    schedule: false,
    useListenNotify: true,
  });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  await boss.createQueue(NOTIFIED_QUEUE, { notify: true });
  return boss;
}

/** Repeats an empty fetch: near the end, the jobs that are left may be locked by other fetches. */
async function fetchOne(boss) {
  for (let tries = 0; tries < MAX_EMPTY_FETCHES; tries++) {
    const [job] = await boss.fetch(QUEUE, { batchSize: 1 });
    if (job) return job;
  }
  throw new Error(`${MAX_EMPTY_FETCHES} fetches in a row found nothing, though jobs are left`);
}

async function drain(boss, batchSize) {
  for (let done = 0; ;) {
    const fetched = await boss.fetch(QUEUE, { batchSize });
    if (fetched.length === 0) return done;
    const ids = fetched.map((job) => job.id);
    const { affected } = await boss.complete(QUEUE, ids, { result: "sent" });
    done += affected;
  }
}

function jobs(count) {
  return Array.from({ length: count }, (_, n) => ({ data: { file: `report-${n}.pdf` } }));
}
