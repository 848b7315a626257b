import { compare } from "./compare.ts";
import type { Entry, RatioAim } from "./compare.ts";
import type { Contestant } from "./contestant.ts";
import type { Task } from "./contender.ts";
import type { Report } from "./report.ts";
import type { ContenderName, Stage } from "./stage.ts";

/** What a comparison of a quick run may take. */
export const QUICK_SECONDS = 5;

export type Race = {
  title: string;
  unit: string;
  bout: string;
  /** How much each does in a bout; fewer for the slow, so that all take about as long. */
  runners: Partial<Record<ContenderName, { work: Task; modes: readonly Task[] }>>;
  /** Work that is laid ready, and known to the planner, before the clock runs. */
  filled?: boolean;
  aims: readonly RatioAim[];
  notes?: readonly string[];
  rounds: number;
};

/** The same work for everybody who can take part, each in a process and a database of its own. */
export async function race(stage: Stage, { bout, runners, filled = false, ...about }: Race): Promise<Report> {
  const entries: Entry[] = [];
  const contestants: Contestant[] = [];
  for (const [name, { work, modes }] of Object.entries(runners)) {
    const entered = await stage.enter(name as ContenderName);
    if (!entered) continue;
    const { contestant, url } = entered;
    const sql = filled && name !== "BullMQ" ? stage.connect(url) : null;
    contestants.push(contestant);
    entries.push({
      name,
      modes,
      bout: async (mode) => {
        if (filled) await contestant.do("fill", work);
        if (sql) await sql.unsafe("analyze");
        const fought = await contestant.do(bout, { ...work, ...mode });
        if (filled && fought.done !== work.tasks)
          throw new Error(`${name} did ${fought.done} of ${work.tasks}`);
        return fought;
      },
    });
  }
  const { quick, tell } = stage;
  const report = await compare({
    ...about,
    hero: "Pawl",
    entries,
    tryModes: !quick,
    ...(quick ? { mostSeconds: QUICK_SECONDS } : {}),
    tell,
  });
  await Promise.all(contestants.map((contestant) => contestant.stop()));
  return report;
}
