import { compare } from "../compare.ts";
import type { Entry } from "../compare.ts";
import type { Contestant } from "../contestant.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

/** One engine, and two that share a database: claim and complete, of one org and of ten. */
export async function twoProcesses(stage: Stage): Promise<Report> {
  const tasks = stage.quick ? 4_000 : 40_000;
  const { contestant: first, url } = await stage.enterPawl();
  const { contestant: second } = await stage.enterPawl({ url });
  const sql = stage.connect(url);
  const entry = (name: string, engines: readonly Contestant[], orgs: number): Entry => ({
    name,
    modes: [{ callers: Math.max(4, orgs), batch: 500 }],
    bout: async (mode) => {
      await first.do("fillOrgs", { tasks, orgs });
      await sql.unsafe("analyze");
      const bouts = await Promise.all(
        engines.map((engine) => engine.do("claimAndCompleteInOrgs", { ...mode, orgs })),
      );
      const done = bouts.reduce((sum, bout) => sum + bout.done, 0);
      if (done !== tasks) throw new Error(`${name}: ${done} of ${tasks} tasks were done`);
      return { done, seconds: Math.max(...bouts.map((bout) => bout.seconds)) };
    },
  });
  return compare(stage, {
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
      { hero: "two engines, one org", atLeast: 1, of: ["one engine, one org"] },
      { hero: "two engines, ten orgs", atLeast: 1, of: ["one engine, ten orgs"] },
    ],
  });
}
