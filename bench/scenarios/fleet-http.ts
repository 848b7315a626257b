import { compare } from "../compare.ts";
import type { Entry } from "../compare.ts";
import type { Bout } from "../contender.ts";
import { sized } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const WORKERS = 64;

/** Workers that reach the server over HTTP, beside workers inside the server's own process. */
export async function fleetOverHttp(stage: Stage): Promise<Report> {
  const { contestant: pawl, url } = await stage.enterPawl();
  const { figures } = await pawl.do("openShop", {});
  const port = figures?.pawl ?? 0;
  const sql = stage.connect(url);
  const remote = stage.enterHttpWorkers();
  const entry = (name: string, work: (tasks: number) => Promise<Bout>): Entry => ({
    name,
    modes: [{}],
    bout: sized(stage, async (tasks) => {
      await pawl.do("fill", { tasks });
      await sql.unsafe("analyze");
      const bout = await work(tasks);
      if (bout.done !== tasks) throw new Error(`${name} did ${bout.done} of ${tasks}`);
      return bout;
    }),
  });
  return compare(stage, {
    title: `Fleet of ${WORKERS} workers over HTTP`,
    unit: "tasks/s",
    rounds: [7, 3],
    hero: "startWorker over HTTP",
    entries: [
      entry("startWorker over HTTP", (tasks) => remote.do("work", { port, workers: WORKERS, tasks })),
      entry("a claim and a finish for each task over HTTP", (tasks) =>
        remote.do("claimOneByOne", { port, workers: WORKERS, tasks }),
      ),
      entry("in the server's process", (tasks) => pawl.do("fleet", { workers: WORKERS, tasks })),
    ],
    aims: [{ of: ["in the server's process"], atLeast: 0.5 }],
    notes: [
      `startWorker with concurrency ${WORKERS} and an empty handler claims ahead, as it does by default, and reports tasks that end together by one request, each with its own key. Every call has an idempotency key. Workers, server and database share the machine.`,
    ],
  });
}
