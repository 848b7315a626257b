import { compare } from "../compare.ts";
import type { Entry } from "../compare.ts";
import type { ContenderProcess } from "../contender-process.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

/** Claims and completes tasks with one engine, and with two that share a database; with one org and with ten. */
export async function twoProcesses(env: Environment): Promise<Report> {
  const tasks = env.quick ? 4_000 : 40_000;
  const { child: first, url } = await env.startPawl();
  const { child: second } = await env.startPawl({ url });
  const sql = env.connect(url);
  const entry = (name: string, engines: readonly ContenderProcess[], orgs: number): Entry => ({
    name,
    modes: [{ callers: Math.max(4, orgs), batch: 500 }],
    measure: async (mode) => {
      await first.run("fillOrgs", { tasks, orgs });
      await sql.unsafe("analyze");
      const measurements = await Promise.all(
        engines.map((engine) => engine.run("claimAndCompleteInOrgs", { ...mode, orgs })),
      );
      const done = measurements.reduce((sum, measurement) => sum + measurement.done, 0);
      if (done !== tasks) throw new Error(`${name}: only ${done} of ${tasks} tasks were done`);
      return { done, seconds: Math.max(...measurements.map((measurement) => measurement.seconds)) };
    },
  });
  return compare(env, {
    title: "Two engines on one database",
    unit: "tasks/s",
    rounds: [7, 3],
    entries: [
      entry("one engine, one org", [first], 1),
      entry("two engines, one org", [first, second], 1),
      entry("one engine, ten orgs", [first], 10),
      entry("two engines, ten orgs", [first, second], 10),
    ],
    aims: [
      { subject: "two engines, one org", atLeast: 1, of: ["one engine, one org"] },
      { subject: "two engines, ten orgs", atLeast: 1, of: ["one engine, ten orgs"] },
    ],
  });
}
