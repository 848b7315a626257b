// pg-boss: `insert` for batches, large fetches, one `complete` for all that a fetch gave.
import { PgBoss } from "pg-boss";

const QUEUE = "errands";

export async function open({ url }, { timed, fromCallers }) {
  const bosses = new Map();
  const bossWith = async (pool) => {
    if (!bosses.has(pool)) bosses.set(pool, await start(url, pool));
    return bosses.get(pool);
  };
  await bossWith(10);
  return {
    bouts: {
      async fill({ tasks }) {
        const boss = await bossWith(10);
        return timed(tasks, () => fromCallers(2, tasks / 500, () => boss.insert(QUEUE, jobs(500))));
      },
      async claimAndComplete({ callers, batch }) {
        const boss = await bossWith(10);
        let drained = [];
        const bout = await timed(0, async () => {
          drained = await Promise.all(Array.from({ length: callers }, () => drain(boss, batch)));
        });
        return { ...bout, done: drained.reduce((sum, done) => sum + done, 0) };
      },
      async createInBatches({ tasks, callers, batch }) {
        const boss = await bossWith(10);
        return timed(tasks, () => fromCallers(callers, tasks / batch, () => boss.insert(QUEUE, jobs(batch))));
      },
      async createOneByOne({ tasks, callers, pool }) {
        const boss = await bossWith(pool);
        return timed(tasks, () =>
          fromCallers(callers, tasks, (n) => boss.send(QUEUE, { file: `report-${n}.pdf` })),
        );
      },
    },
    close: () => Promise.all([...bosses.values()].map((boss) => boss.stop({ graceful: false }))),
  };
}

// Maintenance and cron would run between the bouts of others.
async function start(url, max) {
  const boss = new PgBoss({ connectionString: url, max, supervise: false, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  return boss;
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
