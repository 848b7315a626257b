import { compare } from "../compare.ts";
import type { Entry } from "../compare.ts";
import type { Measurement } from "../contender.ts";
import { sized } from "../compare-contenders.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const WORKERS = 64;

/** Workers that reach the server over HTTP, compared with workers inside the server's process. */
export async function fleetOverHttp(env: Environment): Promise<Report> {
  const { child: pawl, url } = await env.startPawl();
  const { figures } = await pawl.run("startHttpServer", {});
  const port = figures?.pawl ?? 0;
  const sql = env.connect(url);
  const remote = env.startHttpWorkers();
  const entry = (name: string, work: (tasks: number) => Promise<Measurement>): Entry => ({
    name,
    modes: [{}],
    measure: sized(env, async (tasks) => {
      await pawl.run("fill", { tasks });
      await sql.unsafe("analyze");
      const measurement = await work(tasks);
      if (measurement.done !== tasks) throw new Error(`${name} did ${measurement.done} of ${tasks}`);
      return measurement;
    }),
  });
  return compare(env, {
    title: `Fleet of ${WORKERS} workers over HTTP`,
    unit: "tasks/s",
    rounds: [7, 3],
    subject: "startWorker over HTTP",
    entries: [
      entry("startWorker over HTTP", (tasks) => remote.run("work", { port, workers: WORKERS, tasks })),
      entry("one claim and one finish per task over HTTP", (tasks) =>
        remote.run("claimOneByOne", { port, workers: WORKERS, tasks }),
      ),
      entry("in the server's process", (tasks) => pawl.run("fleet", { workers: WORKERS, tasks })),
    ],
    aims: [{ of: ["in the server's process"], atLeast: 0.5 }],
    notes: [
      `startWorker with concurrency ${WORKERS} and an empty handler prefetches tasks, as it does by default, and reports tasks that end together in one request, each with its own key. Every call has an idempotency key. Workers, server and database share the machine.`,
    ],
  });
}
